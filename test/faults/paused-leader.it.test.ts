import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { times } from '../support/soak.ts';

const takeovers = times(12, 1_000);
const soon = { timeout: 60_000, interval: 10 };
/** A pause takes as long as a lease: so many are taken over in each, between the same two processes. */
const namespaces = ['lease-1', 'lease-2', 'lease-3', 'lease-4', 'lease-5'];
const stateOf = (namespace: string) => ({ namespace, name: 'state' });

interface AcceptedWrite {
  readonly namespace: string;
  readonly user: string;
  readonly term: number;
  /** The order in which the server stored the writes. */
  readonly version: bigint;
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string };
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
    candidates.set(identity, fork(program, [kubeconfig, identity, ...namespaces], { execArgv: [] }));
  }

  async function lastWrite(namespace: string): Promise<{ readonly writer: string; readonly term: number; readonly count: number }> {
    const { data } = await admin.get(kinds.configMaps, stateOf(namespace));
    return { writer: data?.['writer'] ?? '', term: Number(data?.['term'] ?? -1), count: Number(data?.['count']) };
  }

  /** Of every namespace. */
  const everywhere = <T>(look: (namespace: string) => Promise<T>): Promise<T[]> => Promise.all(namespaces.map(look));

  async function acceptedWrites(): Promise<AcceptedWrite[]> {
    // What follows the last line break is being written.
    const lines = (await readFile(controlPlane.auditLog ?? '', 'utf8')).split('\n').slice(0, -1);
    return lines
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(({ user, responseStatus }) => candidates.has(user.username) && (responseStatus?.code ?? 500) < 300)
      .filter(({ verb, objectRef }) => verb !== 'get' && objectRef?.resource === 'configmaps')
      .map(({ user, objectRef, responseObject }) => ({
        namespace: objectRef?.namespace ?? '',
        user: user.username,
        term: Number(responseObject?.data?.term),
        version: BigInt(responseObject?.metadata?.resourceVersion ?? ''),
      }))
      .sort((a, b) => Number(a.version - b.version));
  }

  it(`writes nothing after its successor's first write, in ${takeovers} takeovers of a lease from a paused process`, {
    timeout: 60_000 + takeovers * 5_000,
  }, async () => {
    await everywhere(async (name) => {
      await admin.create(kinds.namespaces, { metadata: { name } });
      await admin.create(kinds.configMaps, { metadata: stateOf(name), data: { count: '0' } });
    });
    const random = seededRandom(50);
    await startCandidate('candidate-a');
    await startCandidate('candidate-b');
    await everywhere((name) => writesAfter(name, 1));
    let takenOver = 0;
    while (takenOver < takeovers) {
      await everywhere((name) => writesAfter(name, Math.floor(random.next() * 20)));
      const before = await everywhere(async (name) => ({ name, ...(await lastWrite(name)) }));
      const victim = before[0]?.writer ?? '';
      candidates.get(victim)?.kill('SIGSTOP');
      const led = before.filter(({ writer }) => writer === victim);
      await Promise.all(
        led.map(async ({ name, term }) => {
          await vi.waitFor(async () => expect((await lastWrite(name)).term).toBeGreaterThan(term), soon);
          await writesAfter(name, 5);
        }),
      );
      takenOver += led.length;
      candidates.get(victim)?.kill('SIGCONT');
      await everywhere((name) => writesAfter(name, 5));
    }
    await Promise.all(
      [...candidates.values()].map(async (child) => {
        child.disconnect();
        await once(child, 'exit');
      }),
    );
    const writes = Map.groupBy(await acceptedWrites(), ({ namespace }) => namespace);
    expect([...writes.keys()].toSorted()).toEqual(namespaces);
    const changesOfLeader = [...writes.values()].map(expectInOrder).reduce((sum, terms) => sum + terms - 1, 0);
    expect(changesOfLeader).toBeGreaterThanOrEqual(takeovers);
  });

  /** In the order in which they were stored, terms never go back: no old leader's write follows its successor's first. Returns how many terms there were. */
  function expectInOrder(writes: readonly AcceptedWrite[]): number {
    let newest = 0;
    const late = writes.filter(({ term }) => {
      newest = Math.max(newest, term);
      return !(term >= newest);
    });
    expect(late).toEqual([]);
    const terms = new Set(writes.map(({ term }) => term));
    expect(new Set(writes.map(({ user, term }) => `${term} ${user}`)).size).toBe(terms.size);
    expect(writes.length).toBeGreaterThan(terms.size * 5);
    return terms.size;
  }

  /** Waits until the count of a namespace has grown by so much. */
  async function writesAfter(namespace: string, count: number): Promise<void> {
    const start = (await lastWrite(namespace)).count;
    await vi.waitFor(async () => expect((await lastWrite(namespace)).count).toBeGreaterThanOrEqual(start + count), soon);
  }
});
