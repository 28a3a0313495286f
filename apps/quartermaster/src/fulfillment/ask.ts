import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

export interface Asked {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** Whether somebody at the terminal says yes. Where nobody is there to ask, it counts as said. */
export async function saysYes(question: string, { input, output }: Asked): Promise<boolean> {
  if (input.isTTY !== true) return true;
  const questions = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await questions.question(`${question} [y/N] `)).trim());
  } finally {
    questions.close();
  }
}
