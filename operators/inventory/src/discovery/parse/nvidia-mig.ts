/** A MIG instance in the output of `nvidia-smi -L`, below its card. */
export interface ListedInstance {
  readonly gpuUuid: string;
  readonly uuid: string;
  readonly profile: string;
}

export function parseGpuList(text: string): ListedInstance[] {
  const found: ListedInstance[] = [];
  let gpuUuid: string | undefined;
  for (const line of text.split('\n')) {
    gpuUuid = /^GPU \d+:.*\(UUID: (GPU-[0-9a-f-]{8,64})\)/i.exec(line)?.[1] ?? gpuUuid;
    const [, profile, uuid] = /^\s+MIG (\S{1,40})\s+Device\s+\d+:\s+\(UUID: (MIG-[0-9A-Za-z/-]{8,100})\)/.exec(line) ?? [];
    if (gpuUuid !== undefined && profile !== undefined && uuid !== undefined) found.push({ gpuUuid, uuid, profile });
  }
  return found;
}

export interface MigProfile {
  /** Index of the card in the tool's own order. */
  readonly gpu: number;
  readonly profile: string;
  readonly memoryBytes: number;
}

/** The slices that each card could be cut into, from the table of `nvidia-smi mig -lgip`. */
export function parseMigProfiles(text: string): MigProfile[] {
  return text.split('\n').flatMap((line) => {
    const row = /^\|\s+(\d{1,4})\s+MIG (\S{1,40})\s+\d+\s+\d+\/\d+\s+(\d{1,6}(?:\.\d{1,4})?)\s/.exec(line);
    if (row === null) return [];
    const [, gpu = '', profile = '', gibibytes = ''] = row;
    return [{ gpu: Number(gpu), profile, memoryBytes: Math.round(Number(gibibytes) * 2 ** 30) }];
  });
}
