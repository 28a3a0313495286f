import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
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
  /** Where roles serve, by name, and the file with a token of an administrator where one is needed. */
  roles: z.record(
    z.string(),
    z.object({ grpc: z.string(), rest: z.string(), certificates: z.string().optional(), tokenFile: z.string().optional() }),
  ),
  /** Who can ask for clusters, with the file of a token of each. */
  tenants: z.array(z.object({ name: z.string(), tokenFile: z.string() })),
});

/** What a running `up` tells other commands about itself. Holds no secret: only where things are. */
export type RunFacts = z.infer<typeof runSchema>;

/** The file under which a running simulation can be told what to do. */
export const controlFileIn = (directory: string): string => join(directory, 'simulator-control.json');

const fileOf = (directory: string): string => join(directory, 'run.json');

export function writeRunFile(directory: string, facts: RunFacts): void {
  const draft = `${fileOf(directory)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(facts, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, fileOf(directory));
}

export function removeRunFile(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

/** The `up` that runs on this directory. Throws `unavailable` when none does, or while it starts. */
export function findRun(directory: string): RunFacts {
  const pid = lockHolder(directory);
  if (pid === undefined) {
    throw new StatusError(
      'unavailable',
      `nothing runs on ${directory}: start it with \`quartermaster up\`, or name the directory of another one with --data-dir DIR`,
    );
  }
  const facts = readFacts(directory);
  // A file of an `up` that was killed names ports that anybody may have taken since.
  if (facts?.pid === pid) return facts;
  throw new StatusError('unavailable', `process ${pid} is still starting or already stopping on ${directory}: try again in a moment`);
}

function readFacts(directory: string): RunFacts | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(directory), 'utf8');
  } catch {
    return undefined;
  }
  return runSchema.parse(JSON.parse(text));
}
