/**
 * The part of the cluster service that runs leases, with 1 000 of them on a simulated API server with one hundred simulated nodes; beside it, on a server of its own, one that
 * polls each lease, deploys object by object and does everything anew when it starts. The server with its nodes, and the process that runs leases, have a process each.
 *
 * rss            the most memory that the process ever had
 * rest-requests  requests to the API server while nothing happens, in 65 s of the first round, one value: of ours, the heartbeat of the election, and what its full passes (every
 *                60 s) and its sweeps (every 30 s) ask for. Watches last 5 to 10 min: one request of each in that time is not in it
 * recover        from the start of a new process, once it has read its code, until every lease was looked at and nothing is left to do; the one before it has given the
 *                leadership back. Neither side takes over reservations: in the role that comes first, one list of them and one write of each (`durable` of the benchmark
 *                of placement says how many a second), and leases that stand go on meanwhile
 * deploy         from the manifest of a lease until all of its objects are there, in 99 of 100 cases, of 100 further leases, 16 at the same time; ours without the write that
 *                activates a reservation
 *
 * `--leases N` has fewer leases. `--profile FOLDER` has the processes that run leases write CPU profiles.
 */
import { resolve } from 'node:path';
import { measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { type Round, Side } from './side.ts';

const args = process.argv.slice(2);
const after = (option: string): string | undefined => (args.includes(option) ? (args[args.indexOf(option) + 1] ?? '') : undefined);
const leases = Number(after('--leases') ?? 1_000);
if (!Number.isInteger(leases) || leases < 1) throw new Error(`--leases is ${after('--leases')}; it must be a whole number above zero`);
const folder = after('--profile');
const flags = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(process.env['INIT_CWD'] ?? '.', folder)}`];

const [ours, polling] = await Promise.all([
  Side.start({ name: 'ours', program: './ours.ts', leases, flags }),
  Side.start({ name: 'polling', program: './polling.ts', leases, flags }),
]);
try {
  const rounds = await takeTurns(roundsOf(args, 3), {
    ours: (round) => ours.round(round),
    baseline: (round) => polling.round(round),
  });
  const known = (of: (round: Round) => number | undefined) => (round: Round) => of(round) ?? [];
  const values = (of: (round: Round) => number | undefined) => ({
    ours: rounds.ours.flatMap(known(of)),
    baseline: rounds.baseline.flatMap(known(of)),
  });
  const measures = [
    measure({ what: 'rss', ...values(({ peakRssMb }) => peakRssMb), unit: 'MB', better: 'lower' }),
    measure({ what: 'rest-requests', ...values(({ requestsPerMinute }) => requestsPerMinute), unit: '/min', better: 'lower' }),
    measure({ what: 'recover', ...values(({ recoverSeconds }) => recoverSeconds), unit: 's', better: 'lower' }),
    measure({ what: 'deploy', ...values(({ deploySeconds }) => deploySeconds), unit: 's', better: 'lower' }),
  ];
  printReport({ bench: 'leases', measures }, args);
} finally {
  await ours.stop();
  await polling.stop();
}
