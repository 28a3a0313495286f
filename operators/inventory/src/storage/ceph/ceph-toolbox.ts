import { messageOf, StatusError } from '@quartermaster/kernel';
import { type Cache, type FieldSelection, kinds, type ObjectRef, parseKey, podExec, type Selected } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import type { StaleSource } from '../../model/node-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { listOf, object, optional, shaped, text } from '../../observe/shape.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { cephDfCommand, type PoolUsage, parseCephDf } from './ceph-df.ts';

/** What Ceph last answered. */
export interface CephReport {
  /** Pool name -> usage. */
  readonly pools: ReadonlyMap<string, PoolUsage>;
  readonly observedAt: number;
}

const toolboxFields = {
  metadata: { deletionTimestamp: true },
  status: { phase: true, conditions: { type: true, status: true } },
} as const satisfies FieldSelection<Pod>;
type ToolboxPod = Selected<Pod, typeof toolboxFields>;
const toolboxShape = object<ToolboxPod>({
  metadata: optional(object({ deletionTimestamp: optional(text) })),
  status: optional(
    object<NonNullable<ToolboxPod['status']>>({
      phase: optional(text),
      conditions: optional(listOf(object({ type: text, status: text }))),
    }),
  ),
});

interface Inquiry {
  report?: CephReport;
  /** The answer that is being waited for. */
  asking?: Promise<void>;
  cancelNext?: () => void;
  askedAt: number;
  /** Why the last question had no answer. */
  failure?: string;
}

type ToolboxContext = Pick<QuerierContext, 'client' | 'caches' | 'changed' | 'clock' | 'log'>;

const selector = 'app=rook-ceph-tools';
const container = 'rook-ceph-tools';
const askIntervalMs = 30_000;
const minAskIntervalMs = 2_000;
const answerTimeoutMs = 15_000;

/**
 * Asks Ceph for its own figures through Rook's toolbox pod, wherever one runs: every half minute, and sooner when told to. One question at a
 * time per cluster. What fails is tried again with the next question; the last answer stays.
 */
export class CephToolbox {
  readonly #context: ToolboxContext;
  readonly #pods: Cache<boolean>; // whether it can be asked
  readonly #sources: FollowedSources;
  readonly #inquiries = new Map<string, Inquiry>(); // namespace -> inquiry
  readonly #stopping = new AbortController();

  constructor(context: ToolboxContext) {
    this.#context = context;
    this.#pods = context.caches.open({
      name: 'ceph-toolbox',
      type: kinds.pods,
      labelSelector: selector,
      fields: toolboxFields,
      project: shaped(
        toolboxShape,
        ({ metadata, status }) =>
          metadata?.deletionTimestamp === undefined &&
          status?.phase === 'Running' &&
          status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
      ),
    });
    this.#sources = new FollowedSources([this.#pods], context.clock);
    const askItsCluster = ({ key, value }: { readonly key: string; readonly value: boolean }): void => {
      if (value) this.ask(parseKey(key).namespace ?? '');
    };
    this.#pods.subscribe({ added: askItsCluster, updated: askItsCluster });
  }

  /** The last answer for the cluster of this namespace. `awaited`: there is a toolbox, or nobody can tell, and it has not answered yet. */
  report(namespace: string): CephReport | 'awaited' | undefined {
    const report = this.#inquiries.get(namespace)?.report;
    if (report !== undefined) return report;
    const mayAnswer = !this.#sources.haveAnswered() || [...this.#pods.entries()].some(({ key }) => parseKey(key).namespace === namespace);
    return mayAnswer ? 'awaited' : undefined;
  }

  /** Asks soon, where there is somebody to ask. */
  ask(namespace: string): void {
    if (this.#stopping.signal.aborted || this.#podOf(namespace) === undefined) return;
    const inquiry = this.#inquiries.get(namespace) ?? { askedAt: Number.NEGATIVE_INFINITY };
    this.#inquiries.set(namespace, inquiry);
    if (inquiry.asking !== undefined) return;
    const sinceMs = this.#context.clock.monotonic() - inquiry.askedAt;
    if (sinceMs >= minAskIntervalMs) this.#askNow(namespace, inquiry);
    else this.#askIn(namespace, inquiry, minAskIntervalMs - sinceMs);
  }

  /** Resolves when every toolbox that runs has been asked once. */
  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenReady(signal);
    await Promise.all(this.#questions());
  }

  stale(): readonly StaleSource[] {
    return this.#sources.stale();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the toolbox is no longer asked'));
    for (const { cancelNext } of this.#inquiries.values()) cancelNext?.();
    await Promise.all([this.#sources.stop(), ...this.#questions()]);
  }

  #questions(): Promise<void>[] {
    return [...this.#inquiries.values()].flatMap(({ asking }) => asking ?? []);
  }

  #askNow(namespace: string, inquiry: Inquiry): void {
    inquiry.cancelNext?.();
    inquiry.askedAt = this.#context.clock.monotonic();
    inquiry.asking = this.#question(namespace, inquiry).finally(() => {
      delete inquiry.asking;
      this.#askIn(namespace, inquiry, askIntervalMs);
    });
  }

  #askIn(namespace: string, inquiry: Inquiry, afterMs: number): void {
    inquiry.cancelNext?.();
    if (this.#stopping.signal.aborted) return;
    inquiry.cancelNext = this.#context.clock.schedule(afterMs, () => this.ask(namespace));
  }

  async #question(namespace: string, inquiry: Inquiry): Promise<void> {
    const { client, changed, clock, log } = this.#context;
    const pod = this.#podOf(namespace);
    if (pod === undefined) return;
    const late = new AbortController();
    const cancel = clock.schedule(answerTimeoutMs, () => late.abort(new Error(`no answer within ${answerTimeoutMs / 1000} s`)));
    try {
      const signal = AbortSignal.any([this.#stopping.signal, late.signal]);
      const { exitCode, stdout, stderr } = await podExec(client, pod, { container, command: cephDfCommand, signal });
      if (exitCode !== 0) throw new StatusError('unavailable', `ceph df ended with ${exitCode}: ${stderr.trim()}`);
      inquiry.report = { pools: parseCephDf(stdout), observedAt: clock.now() };
      delete inquiry.failure;
      changed();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const failure = messageOf(error);
      if (failure !== inquiry.failure) log.warn('could not query Ceph through its toolbox', { namespace, error: failure });
      inquiry.failure = failure;
    } finally {
      cancel();
    }
  }

  #podOf(namespace: string): ObjectRef | undefined {
    const ready = [...this.#pods.entries()].filter(({ value }) => value).map(({ key }) => parseKey(key));
    return ready.filter((pod) => pod.namespace === namespace).toSorted((a, b) => (a.name < b.name ? -1 : 1))[0];
  }
}
