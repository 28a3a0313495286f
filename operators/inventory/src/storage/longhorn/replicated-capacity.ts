/**
 * How much data fits on nodes with so much room each when every volume has `replicas` copies on as many different nodes: the largest S with
 * Σ min(room, S) ≥ replicas × S. That much always fits in volumes that are small beside the nodes, and more never does: no node can hold
 * more than one copy of anything, so none can take more than S.
 */
export function replicatedCapacity(rooms: readonly number[], replicas: number): number {
  if (replicas < 1) throw new RangeError(`replicas ${replicas} must be at least 1`);
  const sorted = rooms.filter((room) => room > 0).toSorted((a, b) => b - a);
  if (sorted.length < replicas) return 0;
  let rest = sorted.reduce((sum, room) => sum + BigInt(room), 0n);
  // With the `full` largest nodes each taking a copy of everything, the others must hold the remaining copies.
  for (let full = 0; full < replicas; full += 1) {
    const share = rest / BigInt(replicas - full);
    const largest = BigInt(sorted[full] ?? 0);
    if (largest <= share) return Number(share);
    rest -= largest;
  }
  return 0;
}

/** The largest single volume with every copy in another of these rooms. */
export function largestReplicatedVolume(rooms: readonly number[], replicas: number): number {
  return Math.max(rooms.toSorted((a, b) => b - a)[replicas - 1] ?? 0, 0);
}

/** The same where copies may share a disk: as if each disk were as many rooms as it may have to hold copies, the k-th a k-th of its size. */
export function largestSharedVolume(disks: readonly number[], replicas: number): number {
  const shares = Array.from({ length: replicas }, (_, i) => i + 1);
  return largestReplicatedVolume(
    disks.flatMap((room) => shares.map((share) => Math.floor(room / share))),
    replicas,
  );
}
