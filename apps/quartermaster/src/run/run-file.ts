import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
import { hasCode } from '../files/file-problem.ts';
import { refuseForeign } from '../files/refuse-foreign.ts';
import { writeWhole } from '../files/write-whole.ts';
import { version } from '../product/product.ts';
import { lockHolder } from './process-lock.ts';

const runSchema = z.object({
  pid: z.int(),
  version: z.string(),
  console: z.url(),
  kubeconfig: z.string(),
  kubernetes: z.enum(['simulated', 'real', 'given']),
  scenario: z.string().optional(),
  /** Where the probes and the metrics of the process are served. */
  admin: z.url(),
  /** Where roles serve, by name, and the file with a token of an administrator. */
  roles: z.record(
    z.string(),
    z.object({ grpc: z.string(), rest: z.string(), certificates: z.string().optional(), tokenFile: z.string().optional() }),
  ),
  /** When it started, in milliseconds since the epoch. */
  startedAt: z.number(),
  /** Of the API server. */
  server: z.string(),
  /** What it consists of, as it was when the file was written, which is after every change. */
  parts: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['embedded', 'role', 'external']),
      state: z.enum(['starting', 'ready', 'degraded', 'failed', 'stopped']),
      reason: z.string().optional(),
      since: z.number().optional(),
      facts: z.record(z.string(), z.string()),
    }),
  ),
  /** Who can ask for clusters, with the file of a token of each. */
  tenants: z.array(z.object({ name: z.string(), tokenFile: z.string() })),
});

const anyRunSchema = z.looseObject({ pid: z.int().optional(), version: z.string().optional() });

/** What a running `up` tells other commands about itself. Holds no secret: only where things are. */
export type RunFacts = z.infer<typeof runSchema>;

/** The file under which a running simulation can be told what to do. */
export const controlFileIn = (directory: string): string => join(directory, 'simulator-control.json');

const fileOf = (directory: string): string => join(directory, 'run.json');

export function writeRunFile(directory: string, facts: RunFacts): void {
  writeWhole(fileOf(directory), `${JSON.stringify(facts, undefined, 2)}\n`);
}

export function removeRunFile(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

const notForeign = 'name the directory of your own `quartermaster up` with --data-dir DIR, or take the rights from others with chmod go-w';

/**
 * The `up` that runs on this directory. Throws `unavailable` when none does, or while it starts, and `permission_denied` where somebody else could have written what
 * it says: it names files to read and addresses to send them to.
 */
export function findRun(directory: string): RunFacts {
  refuseForeign(directory, notForeign);
  refuseForeign(fileOf(directory), notForeign);
  const pid = lockHolder(directory);
  if (pid === undefined) {
    throw new StatusError(
      'unavailable',
      `nothing runs on ${directory}: start it with \`quartermaster up\`, or name the directory of another one with --data-dir DIR`,
    );
  }
  const written = readRunFile(directory);
  // A file of an `up` that was killed names ports that anybody may have taken since.
  if (written === undefined || (written.pid !== undefined && written.pid !== pid)) {
    throw new StatusError('unavailable', `process ${pid} is still starting or already stopping on ${directory}: try again in a moment`);
  }
  const facts = runSchema.safeParse(written);
  if (facts.success) return facts.data;
  throw new StatusError(
    'failed_precondition',
    `${fileOf(directory)} was written by another release of Quartermaster (${written.version ?? 'unknown'}, this is ${version}): use that release, or stop process ${pid} and start \`quartermaster up\` again`,
  );
}

/** Undefined where there is none. What another release wrote there has whatever fields it has. */
function readRunFile(directory: string): z.infer<typeof anyRunSchema> | undefined {
  try {
    return anyRunSchema.parse(JSON.parse(readFileSync(fileOf(directory), 'utf8')));
  } catch (error) {
    return hasCode(error, 'ENOENT') ? undefined : {};
  }
}
