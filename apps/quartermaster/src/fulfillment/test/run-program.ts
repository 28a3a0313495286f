import { runProgram } from '../../program.ts';

/** An output, and what was written to it. */
export function written() {
  const texts = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (texts[name] += text) });
  return { texts, output: { out: stream('out'), err: stream('err') } };
}

/** What a command line ends with, and what it says. */
export async function run(...args: string[]) {
  const { texts, output } = written();
  const exitCode = await runProgram(args, output);
  return { exitCode, ...texts };
}
