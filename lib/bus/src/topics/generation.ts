/**
 * Which of two values of a state is newer. The bus gives it: `sequence` grows with every value that it stores, and `epoch` when
 * it begins anew without its memory (milliseconds since 1970), since its sequences then begin anew, too.
 */
export interface Generation {
  readonly epoch: number;
  readonly sequence: number;
}

/** Negative when `a` is older than `b`, zero when they are the same, positive when it is newer. */
export function compareGenerations(a: Generation, b: Generation): number {
  return a.epoch - b.epoch || a.sequence - b.sequence;
}
