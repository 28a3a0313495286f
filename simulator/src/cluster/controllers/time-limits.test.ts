import { done } from '@quartermaster/controller';
import { FakeClock, seededRandom, silentLog } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../../test/running-simulator.ts';
import { noEvents } from '../client/cluster-events.ts';
import { startClusterPods } from '../pods/cluster-pods.ts';
import { type ControllerContext, startControllerCaches, stopControllerCaches } from './controller-context.ts';
import { eventExpiryReconciler } from './event-expiry.ts';
import { NodeLifecycleReconciler } from './node-lifecycle.ts';

const namespace = 'default';
const { signal } = new AbortController();

async function start(): Promise<ControllerContext & { readonly clock: FakeClock }> {
  const clock = new FakeClock();
  const { client } = await startSimulator({ clock });
  const parts = { clock, random: seededRandom(1), log: silentLog };
  const pods = startClusterPods(client, parts);
  const caches = startControllerCaches(client, pods, parts);
  onTestFinished(async () => {
    await stopControllerCaches(caches);
    await pods.stop();
  });
  return { client, caches, events: noEvents, ...parts };
}

describe('pods of a node that does not exist', () => {
  async function startWithPod() {
    const context = await start();
    const { client, caches } = context;
    const ref = { namespace, name: 'stranded' };
    await client.create(kinds.pods, { metadata: ref, spec: { nodeName: 'nowhere', containers: [{ name: 'main', image: 'plain' }] } });
    await expect.poll(() => caches.pods.get(`${namespace}/stranded`)).toBeDefined();
    return { ...context, ref, reconciler: new NodeLifecycleReconciler(context, 50_000) };
  }

  it('are removed once it has been missing for 40 s', async () => {
    const { client, clock, ref, reconciler } = await startWithPod();
    expect(await reconciler.reconcile('nowhere', signal)).toEqual({ kind: 'again', afterMs: 40_000 });
    await clock.advance(39_999);
    expect(await reconciler.reconcile('nowhere', signal)).toEqual({ kind: 'again', afterMs: 1 });
    expect(await client.find(kinds.pods, ref)).toBeDefined();
    await clock.advance(1);
    expect(await reconciler.reconcile('nowhere', signal)).toEqual(done);
    expect(await client.find(kinds.pods, ref)).toBeUndefined();
  });

  it('stay when it is registered meanwhile', async () => {
    const { client, clock, caches, ref, reconciler } = await startWithPod();
    await reconciler.reconcile('nowhere', signal);
    await client.create(kinds.nodes, { metadata: { name: 'nowhere' } });
    await expect.poll(() => caches.nodes.get('nowhere')).toBeDefined();
    await clock.advance(40_000);
    await reconciler.reconcile('nowhere', signal);
    expect(await client.find(kinds.pods, ref)).toBeDefined();
  });
});

describe('an Event', () => {
  it('is kept for an hour after it was last added to', async () => {
    const context = await start();
    const { client, caches, clock } = context;
    const ref = { namespace, name: 'told' };
    const microTime = new Date(clock.now() - 3_599_000).toISOString().replace('Z', '000Z');
    await client.create(kinds.events, {
      metadata: ref,
      eventTime: microTime,
      type: 'Normal',
      reason: 'Started',
      action: 'Start',
      reportingController: 'test',
      reportingInstance: 'test',
      regarding: { kind: 'Pod', namespace, name: 'pod' },
      series: { count: 2, lastObservedTime: microTime },
    });
    await expect.poll(() => caches.events.get(`${namespace}/told`)).toBeDefined();
    const reconciler = eventExpiryReconciler(context);
    expect(await reconciler.reconcile(`${namespace}/told`, signal)).toEqual({ kind: 'again', afterMs: 1_000 });
    await clock.advance(1_000);
    expect(await reconciler.reconcile(`${namespace}/told`, signal)).toEqual(done);
    expect(await client.find(kinds.events, ref)).toBeUndefined();
  });
});
