import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';

const rounds = 50;
const soon = { timeout: 60_000, interval: 10 };
const state = { namespace: 'default', name: 'state' };

interface AcceptedWrite {
  readonly user: string;
  readonly term: number;
  /** The order in which the server stored the writes. */
  readonly version: bigint;
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: { readonly metadata?: { readonly resourceVersion?: string }; readonly data?: { readonly term?: string } };
}

describe('a leader that was paused', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  const candidates = new Map<string, ChildProcess>(); // identity -> process

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, audit: 'RequestResponse' });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  });

  afterAll(async () => {
    for (const child of candidates.values()) child.kill('SIGKILL');
    await admin?.close();
    await controlPlane?.stop();
  });

  async function startCandidate(identity: string): Promise<void> {
    const certificate = await controlPlane.certificateAuthority.issueClient({ commonName: identity, organizations: ['system:masters'] });
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { certificate } });
    const program = fileURLToPath(new URL('./elected-process.ts', import.meta.url));
    candidates.set(identity, fork(program, [kubeconfig, state.namespace, identity], { execArgv: [] }));
  }

  async function lastWrite(): Promise<{ readonly writer: string; readonly term: number; readonly count: number }> {
    const { data } = await admin.get(kinds.configMaps, state);
    return { writer: data?.['writer'] ?? '', term: Number(data?.['term'] ?? -1), count: Number(data?.['count']) };
  }

  async function acceptedWrites(): Promise<AcceptedWrite[]> {
    const lines = (await readFile(controlPlane.auditLog ?? '', 'utf8')).split('\n').filter((line) => line !== '');
    return lines
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(({ user, responseStatus }) => candidates.has(user.username) && (responseStatus?.code ?? 500) < 300)
      .filter(({ verb, objectRef }) => verb !== 'get' && objectRef?.resource === 'configmaps')
      .map(({ user, responseObject }) => ({
        user: user.username,
        term: Number(responseObject?.data?.term),
        version: BigInt(responseObject?.metadata?.resourceVersion ?? ''),
      }))
      .sort((a, b) => Number(a.version - b.version));
  }

  it(`writes nothing after its successor's first write, in ${rounds} pauses`, { timeout: 600_000 }, async () => {
    await admin.create(kinds.configMaps, { metadata: state, data: { count: '0' } });
    const random = seededRandom(50);
    await startCandidate('candidate-a');
    await startCandidate('candidate-b');
    await writesAfter(1);
    for (let round = 0; round < rounds; round += 1) {
      await writesAfter(Math.floor(random.next() * 20));
      const before = await lastWrite();
      candidates.get(before.writer)?.kill('SIGSTOP');
      await vi.waitFor(async () => expect((await lastWrite()).term).toBeGreaterThan(before.term), soon);
      await writesAfter(5);
      candidates.get(before.writer)?.kill('SIGCONT');
      await writesAfter(5);
    }
    await Promise.all(
      [...candidates.values()].map(async (child) => {
        child.disconnect();
        await once(child, 'exit');
      }),
    );
    const writes = await acceptedWrites();
    // In the order in which they were stored, terms never go back: no old leader's write follows its successor's first.
    let newest = 0;
    const late = writes.filter(({ term }) => {
      newest = Math.max(newest, term);
      return !(term >= newest);
    });
    expect(late).toEqual([]);
    const terms = new Set(writes.map(({ term }) => term));
    expect(terms.size).toBeGreaterThan(rounds);
    expect(new Set(writes.map(({ user, term }) => `${term} ${user}`)).size).toBe(terms.size);
    expect(writes.length).toBeGreaterThan(rounds * 10);
  });

  /** Waits until the shared count has grown by so much. */
  async function writesAfter(count: number): Promise<void> {
    const start = (await lastWrite()).count;
    await vi.waitFor(async () => expect((await lastWrite()).count).toBeGreaterThanOrEqual(start + count), soon);
  }
});
