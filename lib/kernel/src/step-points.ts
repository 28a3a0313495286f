/** Told of a step before the code goes on. When it returns a promise, the code waits for it. */
export type StepListener = (step: string) => Promise<void> | void;

/** The steps of one piece of work. */
export interface Steps<N extends string> {
  /** The work is here. Nothing happens unless a test listens. */
  reached(step: N): Promise<void> | void;
}

const defined = new Set<string>();
let listener: StepListener | undefined;

/**
 * Names the points between which a process may be killed, so that a test loops over them: `defineSteps('removals', ['persisted', 'deleted'])` lists
 * `removals/persisted` and `removals/deleted`. Called once per module, as it loads.
 */
export function defineSteps<const N extends string>(work: string, names: readonly N[]): Steps<N> {
  for (const name of names) {
    const step = `${work}/${name}`;
    if (defined.has(step)) throw new Error(`step ${step} is defined twice: give one of them another name`);
    defined.add(step);
  }
  return { reached: (name) => listener?.(`${work}/${name}`) };
}

/** The steps of a piece of work, or of all code that is loaded, in the order in which they were defined. */
export function definedSteps(work?: string): readonly string[] {
  return [...defined].filter((step) => work === undefined || step.startsWith(`${work}/`));
}

/** For tests: calls back at every step. Returns what ends it. One at a time. */
export function listenToSteps(next: StepListener): () => void {
  if (listener !== undefined) throw new Error('somebody listens to the steps already: end that first');
  listener = next;
  return () => {
    listener = undefined;
  };
}
