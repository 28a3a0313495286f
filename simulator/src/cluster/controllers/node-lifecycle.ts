import { again, done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { isFailure, kinds, type ObjectKeyText } from '@quartermaster/kube';
import { inParallel } from '../client/in-parallel.ts';
import { tolerating } from '../client/tolerating.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import type { ControlledNode, ControllerContext } from './controller-context.ts';
import { staysForMs, unknownConditions, wantedTaints } from './node-health.ts';

const maxConcurrentDeletions = 16;
/** How long pods of a node that does not exist are left alone: it may be about to be registered. As Kubernetes has it. */
const quarantineMs = 40_000;

/**
 * Watches over nodes: one whose Lease and status have not changed for the grace period, by our own clock, turns Unknown and is tainted;
 * pods that do not tolerate that leave in their time. A node that is heard again loses the taints. Pods of nodes that do not exist are
 * removed after a quarantine.
 */
export class NodeLifecycleReconciler implements Reconciler {
  readonly name = 'simulated-node-lifecycle';
  readonly #context: ControllerContext;
  readonly #graceMs: number;
  readonly #heard = new Map<string, { readonly sign: string; readonly atMs: number }>(); // node -> its last sign of life, and when we saw it
  readonly #missing = new Map<string, number>(); // node that pods name and that does not exist -> since when

  constructor(context: ControllerContext, graceMs: number) {
    this.#context = context;
    this.#graceMs = graceMs;
  }

  async reconcile(name: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const node = this.#context.caches.nodes.get(name)?.value;
    if (node === undefined) {
      this.#heard.delete(name);
      return await this.#clear(name, signal);
    }
    this.#missing.delete(name);
    const silentMs = this.#silentFor(name, node);
    const isSilent = silentMs >= this.#graceMs;
    if (isSilent) await this.#markUnknown(name, node, signal);
    const taints = wantedTaints(node, this.#now());
    if (taints !== undefined) {
      const body = { metadata: { resourceVersion: node.metadata?.resourceVersion }, spec: { taints } };
      await this.#context.client.patch(kinds.nodes, { name }, { kind: 'merge', body }, { signal });
    }
    const evictMs = await this.#evict(name, node, signal);
    const lookMs = isSilent ? this.#graceMs : this.#graceMs - silentMs;
    return again(Math.max(Math.min(lookMs, evictMs ?? lookMs), 10));
  }

  #now(): string {
    return `${new Date(this.#context.clock.now()).toISOString().slice(0, 19)}Z`;
  }

  #silentFor(name: string, node: ControlledNode): number {
    const { caches, clock } = this.#context;
    const renewed = caches.leases.get(`kube-node-lease/${name}`)?.value ?? '';
    const written = node.status?.conditions?.find(({ type, status }) => type === 'Ready' && status !== 'Unknown')?.lastHeartbeatTime ?? '';
    const sign = `${renewed} ${written}`;
    const before = this.#heard.get(name);
    // What we write ourselves makes the status unknown, which is no sign of life.
    if (before === undefined || (before.sign !== sign && !(written === '' && before.sign.startsWith(`${renewed} `)))) {
      this.#heard.set(name, { sign, atMs: clock.monotonic() });
      return 0;
    }
    return clock.monotonic() - before.atMs;
  }

  async #markUnknown(name: string, node: ControlledNode, signal: AbortSignal): Promise<void> {
    const { client, caches } = this.#context;
    const conditions = unknownConditions(node, this.#now());
    if (conditions !== undefined) {
      const body = { metadata: { resourceVersion: node.metadata?.resourceVersion }, status: { conditions } };
      await client.patch(kinds.nodes, { name }, { kind: 'merge', body }, { subresource: 'status', signal });
      this.#context.events.tell(kinds.nodes, node.metadata ?? {}, 'Normal', {
        reason: 'NodeNotReady',
        action: 'Watch',
        note: `Node ${name} status is now: NodeNotReady`,
      });
    }
    const ready = caches.pods.byIndex('node', name).filter(({ value }) => value.isReady);
    await inParallel(ready, maxConcurrentDeletions, async ({ value }) => await this.#markNotReady(value, signal));
  }

  async #markNotReady({ namespace, name, uid, nodeName }: WorkloadPod, signal: AbortSignal): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeNotReady', lastTransitionTime: this.#now() }];
    try {
      const patch = { kind: 'strategic', body: { status: { conditions } } } as const;
      await this.#context.client.patch(kinds.pods, { namespace, name }, patch, { subresource: 'status', signal });
      const note = `Node ${nodeName} is not ready`;
      this.#context.events.tell(kinds.pods, { namespace, name, uid }, 'Warning', { reason: 'NodeNotReady', action: 'Watch', note });
    } catch (error) {
      if (!isFailure(error, 'not-found')) throw error;
    }
  }

  /** Deletes the pods whose time is over; how long until the next one's is. */
  async #evict(name: string, node: ControlledNode, signal: AbortSignal): Promise<number | undefined> {
    const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    if (taints.length === 0) return undefined;
    let nextMs: number | undefined;
    const leaving: WorkloadPod[] = [];
    for (const { value } of this.#context.caches.pods.byIndex('node', name)) {
      const leftMs = value.isDeleting ? undefined : staysForMs(value.tolerations, taints, this.#context.clock.now());
      if (leftMs === undefined) continue;
      if (leftMs <= 0) leaving.push(value);
      else nextMs = Math.min(nextMs ?? leftMs, leftMs);
    }
    await this.#delete(leaving, {}, signal);
    for (const pod of leaving) {
      const note = `Evicting the pod: it does not tolerate the taints of node ${name}`;
      this.#context.events.tell(kinds.pods, pod, 'Normal', { reason: 'TaintManagerEviction', action: 'Evict', note });
    }
    return nextMs;
  }

  async #clear(name: string, signal: AbortSignal): Promise<Outcome> {
    const { caches, client, clock } = this.#context;
    const pods = caches.pods.byIndex('node', name).map(({ value }) => value);
    const sinceMs = this.#missing.get(name) ?? clock.monotonic();
    if (pods.length === 0) {
      this.#missing.delete(name);
      return done;
    }
    this.#missing.set(name, sinceMs);
    const leftMs = sinceMs + quarantineMs - clock.monotonic();
    if (leftMs > 0) return again(leftMs);
    // Asked of the server: the cache of nodes may be late.
    if ((await client.find(kinds.nodes, { name }, { signal })) !== undefined) return done;
    await this.#delete(pods, { gracePeriodSeconds: 0 }, signal);
    return done;
  }

  async #delete(pods: readonly WorkloadPod[], options: { readonly gracePeriodSeconds?: number }, signal: AbortSignal): Promise<void> {
    await inParallel(pods, maxConcurrentDeletions, async ({ namespace, name, uid }) => {
      await tolerating(
        'conflict',
        this.#context.client.delete(kinds.pods, { namespace, name }, { ...options, preconditions: { uid }, signal }),
      );
    });
  }
}
