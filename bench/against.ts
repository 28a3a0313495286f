/**
 * `npm run bench -- <name> --against PATH`: a benchmark of this checkout and the one of the same name in another take turns, with one round in each run.
 * Compares ours here with ours there; what each measures as its baseline is left out.
 */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Measure, measure, printReport, type Report } from './report.ts';
import { roundsOf, takeTurns } from './turns.ts';

const run = promisify(execFile);
const [name = '', ...args] = process.argv.slice(2);
const path = args[args.indexOf('--against') + 1];
if (path === undefined || path.startsWith('--')) throw new Error('--against needs the path of another checkout');

async function runIn(checkout: string): Promise<readonly Measure[]> {
  console.error(`${name} in ${checkout}`);
  const command = [join(checkout, 'scripts', 'bench.mjs'), name, '--rounds', '1', '--json'];
  const { stdout } = await run(process.execPath, command, { cwd: checkout, maxBuffer: 1 << 24 });
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Report).measures;
}

const { here, there } = await takeTurns(roundsOf(args, 3), {
  there: () => runIn(resolve(process.env['INIT_CWD'] ?? '.', path)),
  here: () => runIn(fileURLToPath(new URL('..', import.meta.url))),
});
const valuesOf = (runs: readonly (readonly Measure[])[], what: string): number[] =>
  runs.flatMap((measures) => measures.filter((each) => each.what === what)).map(({ ours }) => ours);
const measures = (here[0] ?? [])
  .filter(({ what }) => valuesOf(there, what).length > 0)
  .map(({ what, unit, better }) => measure({ what, ours: valuesOf(here, what), baseline: valuesOf(there, what), unit, better }));
printReport({ bench: `${name} against ${path}`, measures }, args, ['here', 'there']);
