import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';

export interface Asked {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** Whoever sits at the terminal of this process. */
export const person: Asked = { input: process.stdin, output: process.stderr };

/** Whether somebody at the terminal says yes. Where nobody is there to ask, it counts as said. */
export async function confirm(question: string, asked: Asked): Promise<boolean> {
  return asked.input.isTTY !== true || /^y(es)?$/i.test(await answerTo(`${question} [y/N] `, asked));
}

/**
 * Resolves when somebody at the terminal has typed the whole word. Throws `otherwise` when they did not, and what to do instead when nobody is there to
 * ask: `effect` is what would happen.
 */
export async function insistOnYes(question: string, effect: string, otherwise: string, asked: Asked): Promise<void> {
  if (asked.input.isTTY !== true) {
    throw new StatusError('failed_precondition', `${effect}, and there is no terminal to ask on: add --yes to confirm`);
  }
  if ((await answerTo(`${question} Type yes: `, asked)).toLowerCase() !== 'yes') throw new StatusError('failed_precondition', otherwise);
}

async function answerTo(question: string, { input, output }: Asked): Promise<string> {
  const questions = createInterface({ input, output });
  try {
    return (await questions.question(question)).trim();
  } finally {
    questions.close();
  }
}
