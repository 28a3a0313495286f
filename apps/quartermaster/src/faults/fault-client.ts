import { readFileSync } from 'node:fs';
import { type StatusCode, StatusError, statusCodes } from '@quartermaster/kernel';
import { z } from 'zod';
import { controlFileIn, findRun } from '../run/run-file.ts';
import type { FaultBook, ListedFault } from './fault-book.ts';

const controlSchema = z.object({ url: z.url(), token: z.string() });
const problemSchema = z.object({ code: z.enum(statusCodes), message: z.string() });
const settingsSchema = z.looseObject({ kind: z.string() });
const listSchema = z.object({
  faults: z.array(z.object({ id: z.string(), fault: settingsSchema, since: z.number().optional() })),
  history: z.array(z.object({ at: z.number(), change: z.enum(['began', 'ended', 'happened']), id: z.string(), fault: settingsSchema })),
});
const addedSchema = z.object({ id: z.string().optional() });

const timeoutMs = 10_000;

/** The faults of the `up` that runs on a data directory. Throws when none does, or when it simulates nothing. */
export function connectFaults(directory: string): FaultBook {
  const { kubernetes } = findRun(directory);
  if (kubernetes === 'given') {
    throw new StatusError(
      'failed_precondition',
      'this `up` works on a given cluster and simulates nothing: start one without --kubeconfig',
    );
  }
  return faultsBy(controlFileIn(directory));
}

/** The faults of the simulation that wrote the file. */
export function faultsBy(controlFile: string, signal?: AbortSignal): FaultBook {
  const { url, token } = controlSchema.parse(JSON.parse(readFileSync(controlFile, 'utf8')));
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]),
      body: body === undefined ? null : JSON.stringify(body),
    });
    const content: unknown = await answer.json();
    if (answer.ok) return content;
    throw problemOf(content);
  };
  return {
    list: async (): Promise<readonly ListedFault[]> => listSchema.parse(await ask('GET', '/faults')).faults,
    history: async () => listSchema.parse(await ask('GET', '/faults')).history,
    add: async (fault) => addedSchema.parse(await ask('POST', '/faults', fault)).id,
    remove: async (id) => {
      await ask('DELETE', `/faults/${encodeURIComponent(id)}`);
    },
  };
}

function problemOf(content: unknown): StatusError {
  const problem = problemSchema.safeParse(content);
  const { code, message }: { code: StatusCode; message: string } = problem.success
    ? problem.data
    : { code: 'internal', message: 'the simulation sent an invalid answer' };
  return new StatusError(code, message);
}
