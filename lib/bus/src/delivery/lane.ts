/**
 * Events of a topic travel in lanes. All events of a key are in the same lane, and a group handles a lane one event at a time,
 * in whichever of its processes: that keeps the order of a key across processes, retries and restarts. Lanes do not wait for
 * each other. The number is part of what is stored, so it never changes.
 */
export const laneCount = 8;

/** Events without a key are spread by their id. */
export function laneOf(event: { readonly id: string; readonly key: string }): number {
  return fnv1a(event.key === '' ? event.id : event.key) % laneCount;
}

/** FNV-1a, 32 bits, over the text's UTF-8. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
