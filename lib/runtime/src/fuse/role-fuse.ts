import { type Clock, codeOf, defineSteps, type Log, messageOf } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import type { FuseStore } from './fuse-store.ts';
import {
  type Approval,
  approveRemoval,
  type FuseLimits,
  type FuseLook,
  type FuseState,
  judgeRemovals,
  type Removable,
  recordRemovals,
  takeOverFuse,
  type WaitingBatch,
} from './removal-fuse.ts';

export interface FuseOptions {
  /** What `removals approve` is told besides the id, where the role is not the one that it asks by itself. */
  readonly approveFlags?: string | undefined;
  /** Begins the ids of its batches: `hardware`. */
  readonly name: string;
  /** What is removed, in the plural: `hardware facts of nodes that are gone`. */
  readonly what: string;
  readonly windowMs: number;
  /** More than this within the window wait for a person, unless they are at most `maxShare` of all. Default 5. */
  readonly maxRemovals?: number | undefined;
  /** Default 0.1. */
  readonly maxShare?: number | undefined;
  /** What was too many by itself waits until it is approved, however few are left of it. Default: it goes once it is few enough. */
  readonly untilApproved?: boolean | undefined;
}

/** The term in which the leader looks. */
export interface FuseTerm {
  readonly writer: Pick<KubeWriter, 'create' | 'replace'>;
  readonly signal: AbortSignal;
}

/** Removes one object. False when it turned out that it must stay, or when that could not be found out: what it throws is taken for a failure of the removal itself. */
export type Remove = (object: Removable, signal: AbortSignal) => Promise<boolean>;

const steps = defineSteps('removals', ['looked', 'persisted', 'deleted', 'recorded']);

/** Failures after which the object may be gone all the same. */
const isUnsure = (error: unknown): boolean => ['unavailable', 'internal'].includes(codeOf(error));

/** A fuse of a role: the leader looks through it at what it wants to remove, and any replica takes the approval. */
export class RoleFuse {
  readonly options: FuseOptions;
  readonly #limits: FuseLimits;
  readonly #store: FuseStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #startedAt: number;
  /** As the leader last saw it; undefined on the others. */
  #state: FuseState | undefined;
  /** Why the last look failed. */
  #failure: string | undefined;

  constructor(store: FuseStore, options: FuseOptions, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    const { windowMs, maxRemovals = 5, maxShare = 0.1, untilApproved } = options;
    this.options = options;
    this.#limits = { windowMs, maxRemovals, maxShare, untilApproved };
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#startedAt = clock.now() - clock.monotonic();
  }

  /** Removes of what is due as much as may go. Throws, and has removed nothing, when what waits cannot be read or stored. */
  async look(seen: Omit<FuseLook, 'now'>, remove: Remove, term: FuseTerm): Promise<void> {
    try {
      await this.#look(seen, remove, term);
      this.#failure = undefined;
    } catch (thrown) {
      if (!term.signal.aborted) this.#failure = messageOf(thrown);
      throw thrown;
    }
  }

  async #look(seen: Omit<FuseLook, 'now'>, remove: Remove, term: FuseTerm): Promise<void> {
    const at = this.#now();
    let due: readonly Removable[] = [];
    let retried: ReadonlySet<string> | undefined;
    await steps.reached('looked');
    const before = this.#state;
    this.#state = await this.#store.change((stored) => {
      const state = before === undefined ? takeOverFuse(stored, at) : stored;
      const verdict = judgeRemovals(state, { ...seen, now: at }, this.#limits, this.options.name);
      ({ remove: due, retried } = verdict);
      return verdict.state;
    }, term);
    await steps.reached('persisted');
    const { waiting } = this.#state;
    if (waiting !== undefined && waiting.id !== before?.waiting?.id)
      this.#log.warn('removals wait for approval', { removal: waiting.id, reason: waiting.reason });
    if (due.length === 0) return;
    const outcome = await this.#removeAll(due, remove, term.signal);
    this.#state = await this.#store.change((state) => recordRemovals(state, { at, retried, ...outcome }), term);
    await steps.reached('recorded');
  }

  /** This replica does not lead any more. */
  rest(): void {
    this.#state = undefined;
    this.#failure = undefined;
  }

  /** What waits, as the leader last saw it. */
  get waiting(): WaitingBatch | undefined {
    return this.#state?.waiting;
  }

  /** What was approved and is not removed yet, as the leader last saw it. */
  get approved(): Approval | undefined {
    return this.#state?.approval;
  }

  /** What a person has to decide or to put right, or undefined. */
  problem(): string | undefined {
    if (this.#failure !== undefined) return `the removal of ${this.options.what} is suspended: ${this.#failure}`;
    if (this.waiting === undefined) return undefined;
    const { id, objects, more, reason } = this.waiting;
    const { approveFlags } = this.options;
    const names = objects.slice(0, 3).map(({ name }) => name);
    const others = objects.length + more > names.length ? ', …' : '';
    return `${objects.length + more} ${this.options.what} are kept (${names.join(', ')}${others}), because ${reason}: \`quartermaster removals approve ${id}${approveFlags === undefined ? '' : ` ${approveFlags}`}\` removes them`;
  }

  async read(signal?: AbortSignal): Promise<FuseState> {
    return await this.#store.read(signal);
  }

  /** On any replica: the leader reads it at its next look. */
  async approve(id: string, by: string, signal?: AbortSignal): Promise<FuseState> {
    let isNew = false;
    const state = await this.#store.change(
      (each) => {
        const approved = approveRemoval(each, id, by, this.#now());
        isNew = approved !== each;
        return approved;
      },
      { signal },
    );
    if (isNew) this.#log.info('a removal was approved', { removal: id, by, objects: state.approval?.objects.length });
    return state;
  }

  async #removeAll(due: readonly Removable[], remove: Remove, signal: AbortSignal) {
    const removed: Removable[] = [];
    const kept: Removable[] = [];
    for (const object of due) {
      if (signal.aborted) break;
      try {
        ((await remove(object, signal)) ? removed : kept).push(object);
      } catch (error) {
        if (!isUnsure(error)) kept.push(object);
        this.#log.warn('an object could not be removed', { fuse: this.options.name, name: object.name, error: messageOf(error) });
      }
      await steps.reached('deleted');
    }
    return { removed, kept };
  }

  /** People read these times, so they begin with the wall clock; but that may jump, and a jump forward would end the window early. */
  #now(): number {
    return Math.round(this.#startedAt + this.#clock.monotonic());
  }
}
