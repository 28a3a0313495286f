/** What the NVIDIA driver says of one card in /proc/driver/nvidia/gpus/<address>/information. */
export interface NvidiaInformation {
  readonly name?: string | undefined;
  readonly uuid?: string | undefined;
  readonly minor?: number | undefined;
  readonly isExcluded: boolean;
}

export function parseNvidiaInformation(text: string): NvidiaInformation {
  const fields = new Map<string, string>(); // label -> value
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const name = fields.get('Model');
  const uuid = gpuUuid(fields.get('GPU UUID'));
  const minor = fields.get('Device Minor');
  return {
    name: name === undefined || name === '' || name === 'Unknown' ? undefined : name.slice(0, 256),
    uuid,
    minor: minor !== undefined && /^\d{1,5}$/.test(minor) ? Number(minor) : undefined,
    isExcluded: fields.get('GPU Excluded') === 'Yes' || fields.get('GPU Blacklisted') === 'Yes',
  };
}

/** The driver's version out of /proc/driver/nvidia/version, of the closed and of the open kernel module. */
export function parseNvidiaVersion(text: string): string | undefined {
  return /^NVRM version:.*?\s(\d{2,4}\.\d{1,4}(?:\.\d{1,4})?)(?:\s|$)/m.exec(text)?.[1];
}

/** Before a card has been used its UUID reads as question marks. */
export function gpuUuid(text: string | undefined): string | undefined {
  const uuid = text?.trim();
  return uuid !== undefined && /^GPU-[0-9a-f-]{8,64}$/i.test(uuid) ? uuid : undefined;
}
