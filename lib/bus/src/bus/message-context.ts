/** Small texts that travel with a message: name -> value. Both are ASCII without line ends, and the names are no server's own. */
export type Carried = Readonly<Record<string, string>>;

/**
 * Takes what a message was published for, such as a trace, to whoever handles it. The bus neither knows nor reads what is
 * carried.
 */
export interface MessageContext {
  /** What to send along with a message that is being published now. */
  outgoing(): Carried;
  /** Runs the handler of a message that came with this. */
  run<T>(carried: Carried, work: () => T): T;
}

const nothing: Carried = {};

/** Carries nothing. */
export const noContext: MessageContext = { outgoing: () => nothing, run: (_carried, work) => work() };
