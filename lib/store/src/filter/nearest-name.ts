/** The name that the caller probably meant, as an ending of a message; empty when none is near. */
export function hintFor(name: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.max(1, Math.round(name.length * 0.4)) + 1;
  const wanted = name.slice(0, 100).toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? '' : `; did you mean "${best}"?`;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
