/** Active NVLinks by GPU UUID, from `nvidia-smi nvlink --status`. A card without NVLink is not in it. */
export function parseNvlinkStatus(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(); // uuid -> links
  let uuid: string | undefined;
  for (const line of text.split('\n')) {
    const card = /^GPU \d+:.*\(UUID: (GPU-[0-9a-f-]{8,64})\)/i.exec(line)?.[1];
    if (card !== undefined) uuid = card;
    else if (uuid !== undefined && /^\s+Link \d+: \d+(\.\d+)? GB\/s/.test(line)) counts.set(uuid, (counts.get(uuid) ?? 0) + 1);
  }
  return counts;
}
