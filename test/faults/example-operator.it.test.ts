import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findCondition } from '@quartermaster/controller';
import { seededRandom } from '@quartermaster/kernel';
import { isFailure, KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { greetingType as greetings } from '../example/generated/greeting.ts';
import { entryRef } from '../example/greeting-operator.ts';
import { greetingDefinition, reconcileGreetings } from '../example/reconcile-greetings.ts';
import type { ControlPlane } from '../kube/control-plane.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import type { LoopbackProxy } from '../support/loopback-proxy.ts';
import { persistently } from '../support/persistently.ts';

const soon = { timeout: 120_000, interval: 200 };
const count = 40;

/**
 * One operator process through all of it, one fault after the other: each round changes every object while the fault lasts
 * and then waits until the operator has made the world agree with the specs again.
 */
describe('the greeting operator under faults', () => {
  let server: FaultyServer;
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let proxy: LoopbackProxy;
  let client: KubeClient;
  let certificateFiles: { readonly certificateFile: string; readonly keyFile: string };
  const controller = new AbortController();
  let running: Promise<void>;
  let round = 0;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): unknown => unhandled.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    server = await startFaultyServer({ apiserverArgs: ['--watch-cache=false'] });
    ({ controlPlane, admin, proxy } = server);
    certificateFiles = {
      certificateFile: path.join(controlPlane.directory, 'operator.crt'),
      keyFile: path.join(controlPlane.directory, 'operator.key'),
    };
    await writeCertificate(new Date(Date.now() + 3_600_000));
    const kubeconfig = await controlPlane.writeKubeconfig({ user: certificateFiles, server: proxy.url });
    client = await KubeClient.connect({ kubeconfig, reloadIntervalMs: 500, timeoutMs: 10_000 });
    // It starts before its kind exists.
    running = reconcileGreetings(client, client, controller.signal, 3_000);
    await admin.apply(kinds.customResourceDefinitions, await greetingDefinition(), { fieldManager: 'suite' });
    await vi.waitFor(() => admin.list(greetings, { limit: 1 }), soon);
    await changeAll();
    await untilSettled();
  });

  afterAll(async () => {
    controller.abort();
    await running;
    process.off('unhandledRejection', onUnhandled);
    await client?.close();
    await server?.stop();
  });

  async function writeCertificate(notAfter: Date): Promise<void> {
    const issued = await controlPlane.certificateAuthority.issueClient({
      commonName: 'operator',
      organizations: ['system:masters'],
      notAfter,
    });
    for (const [file, contents] of [
      [certificateFiles.keyFile, issued.key],
      [certificateFiles.certificateFile, issued.certificate],
    ] as const) {
      await writeFile(`${file}.new`, contents);
      await rename(`${file}.new`, file);
    }
  }

  const refOf = (index: number) => ({ namespace: 'default', name: `greeting-${index}` });
  const messageOf = (index: number): string => `round ${round} of ${index}`;

  /** Gives every object a new message, deletes some of them, and deletes what the operator made of others. */
  async function changeAll(): Promise<void> {
    round += 1;
    const random = seededRandom(round);
    for (let index = 0; index < count; index += 1) await changeOne(index, random.next());
  }

  async function changeOne(index: number, dice: number): Promise<void> {
    const made = { namespace: 'default', name: `greeting-${index}-greeting` };
    if (dice < 0.2) await persistently(() => admin.delete(greetings, refOf(index)));
    if (dice > 0.8) await persistently(() => admin.delete(kinds.configMaps, made));
    await persistently(async () => {
      const present = await admin.find(greetings, refOf(index));
      // A deleted one is in the way until the operator has let it go; it is made anew while waiting for the world to settle.
      if (present?.metadata?.deletionTimestamp === undefined) await greet(index);
    });
  }

  async function greet(index: number): Promise<void> {
    const greeting = { metadata: refOf(index), spec: { message: messageOf(index) } };
    await admin.apply(greetings, greeting, { fieldManager: 'suite', force: true });
  }

  /** Every object as it should be: made where it was deleted, ready, with its two config maps and no other. */
  async function untilSettled(): Promise<number> {
    const settled = await vi.waitFor(async () => {
      for (let index = 0; index < count; index += 1) await greet(index);
      const [{ items }, made] = await Promise.all([
        admin.list(greetings, { namespace: 'default' }),
        admin.list(kinds.configMaps, { namespace: 'default' }),
      ]);
      const data = new Map(made.items.map(({ metadata, data: contents }) => [metadata?.name, contents]));
      const agreeing = items.filter(({ metadata, spec, status }) => {
        const name = metadata?.name ?? '';
        const ready = findCondition(status?.conditions ?? [], 'Ready');
        return (
          ready?.status === 'True' &&
          ready.observedGeneration === metadata?.generation &&
          data.get(`${name}-greeting`)?.['message'] === spec.message &&
          data.get(entryRef(`default/${name}`).name)?.['greeting'] === `default/${name}`
        );
      });
      expect(agreeing).toHaveLength(count);
      return agreeing.length;
    }, soon);
    expect(unhandled).toEqual([]);
    return settled;
  }

  it('survives the API server being killed and started again', { timeout: 240_000 }, async () => {
    const changing = changeAll();
    await controlPlane.process('kube-apiserver').kill('SIGKILL');
    await controlPlane.process('kube-apiserver').start();
    await changing;
    expect(await untilSettled()).toBe(count);
  });

  it('survives a compaction that takes its versions away', { timeout: 240_000 }, async () => {
    proxy.mode = 'refuse';
    proxy.cut();
    await changeAll();
    await controlPlane.compact();
    proxy.mode = 'forward';
    expect(await untilSettled()).toBe(count);
  });

  it('survives half-open connections', { timeout: 240_000 }, async () => {
    proxy.freezeOpenConnections();
    await changeAll();
    expect(await untilSettled()).toBe(count);
  });

  it('survives a certificate that runs out and is rotated late', { timeout: 240_000 }, async () => {
    await writeCertificate(new Date(Date.now() - 1_000));
    proxy.cut();
    // The operator's own client is refused, and not before the file was read again.
    await vi.waitFor(
      () => expect(client.list(greetings, { limit: 1 })).rejects.toSatisfy((error: unknown) => isFailure(error, 'unauthorized')),
      soon,
    );
    await changeAll();
    await writeCertificate(new Date(Date.now() + 3_600_000));
    expect(await untilSettled()).toBe(count);
  });

  it('survives its kind being removed and installed again', { timeout: 240_000 }, async () => {
    const ref = { name: (await greetingDefinition()).metadata?.name ?? '' };
    await admin.delete(kinds.customResourceDefinitions, ref);
    await vi.waitFor(async () => expect(await admin.find(kinds.customResourceDefinitions, ref)).toBeUndefined(), soon);
    await admin.apply(kinds.customResourceDefinitions, await greetingDefinition(), { fieldManager: 'suite' });
    await vi.waitFor(() => admin.list(greetings, { limit: 1 }), soon);
    await changeAll();
    expect(await untilSettled()).toBe(count);
  });
});
