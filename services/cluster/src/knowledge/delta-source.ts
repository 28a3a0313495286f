import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Completeness, type Generation, InventoryService, type WatchInventoryResponse } from '@quartermaster/api/inventory';
import { type Clock, type Log, StatusError } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import type { InventoryChange } from '../model/inventory-change.ts';
import type { CommitLevel } from '../placement/commit-level.ts';
import { DeltaReader, isSame, leftOut } from './delta-reader.ts';
import type { SilentSource } from './freshness.ts';
import type { InventorySink } from './inventory-sink.ts';
import { LeftOutNodes } from './left-out-nodes.ts';

export interface DeltaSourceOptions {
  readonly sink: InventorySink;
  readonly storageLevel: CommitLevel;
  readonly clock: Clock;
  readonly log: Log;
}

/** Without these nobody knows what is free; others that are stale hold back what concerns them. */
const required: ReadonlySet<string> = new Set(['nodes', 'pods']);
/** Without these nobody knows which of the devices are taken that claims hand out. */
const requiredForClaims: ReadonlySet<string> = new Set(['resource-claims']);
/** A snapshot of a large cluster is large: between whole comparisons, a poll asks for the generation alone. */
const pollsPerSnapshot = 10;
const graceMs = 2_000;
const noChange: Omit<InventoryChange, 'observedAt'> = {
  ...{ kind: 'delta', nodes: [], classes: [], pods: [], volumes: [] },
  ...{ removedNodes: [], removedClasses: [], removedPods: [], removedVolumes: [] },
};

/** An inventory that tells its changes: quartermaster.inventory.v1. */
export class DeltaSource {
  readonly #options: DeltaSourceOptions;
  readonly #reader: DeltaReader;
  readonly #leftOut = new LeftOutNodes();
  #silent: readonly SilentSource[] = [];
  /** What the server had already when the stream had not told it yet. */
  #awaited: { readonly sequence: bigint; readonly since: number } | undefined;
  #drifts = 0;
  #observedAt = 0;
  #clusterId: string | undefined;

  constructor(options: DeltaSourceOptions) {
    this.#options = options;
    this.#reader = new DeltaReader(options.storageLevel, options.log);
  }

  get generation(): DeltaReader['generation'] {
    return this.#reader.generation;
  }

  /** How often what was held was not what the server had in the same generation. */
  get drifts(): number {
    return this.#drifts;
  }

  /** As the server calls the cluster; undefined until it has told. */
  get clusterId(): string | undefined {
    return this.#clusterId;
  }

  silent(): readonly SilentSource[] {
    return [...this.#silent.filter(({ source }) => required.has(source)), ...this.#leftOut.silent()];
  }

  /** Of what claims hand out. */
  silentClaims(): readonly SilentSource[] {
    return this.#silent.filter(({ source }) => requiredForClaims.has(source));
  }

  /** Something else was told meanwhile. */
  forget(): void {
    this.#reader.forget();
  }

  take(event: WatchInventoryResponse['event']): void {
    const { sink, clock } = this.#options;
    switch (event.case) {
      case 'snapshot':
      case 'delta': {
        this.#awaited = event.case === 'snapshot' ? undefined : this.#awaited;
        if (event.case === 'snapshot') this.#clusterId = event.value.clusterId;
        const change = event.case === 'snapshot' ? this.#reader.snapshot(event.value) : this.#reader.delta(event.value);
        this.#observedAt = change.observedAt;
        this.#hear(event.value.completeness, change.observedAt);
        sink.tell(this.#leftOut.apply(change, event.value.completeness, sink.node));
        sink.confirm();
        break;
      }
      case 'heartbeat':
        this.#hear(event.value.completeness, event.value.sentAt === undefined ? clock.now() : timestampMs(event.value.sentAt));
        this.#tellLeftOut(event.value.completeness);
        this.#confirm(event.value.generation, clock.monotonic());
        break;
      case undefined:
        break;
    }
  }

  /** Beside the stream. Throws like `take`. */
  async poll(connection: RpcChannel, count: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const client = connection.client(InventoryService);
    const at = clock.monotonic();
    if (count % pollsPerSnapshot !== 0) {
      const { generation } = await client.getStatus({}, { signal });
      if (generation !== undefined) this.#confirm(generation, at);
      return;
    }
    const { snapshot } = await client.getSnapshot({}, { signal });
    const held = this.#reader.generation;
    if (snapshot === undefined || held === undefined) return;
    if (isSame(held, snapshot.generation)) this.#compare(snapshot, at);
    else this.#confirm(snapshot.generation, at);
  }

  #compare(snapshot: Parameters<DeltaReader['snapshot']>[0], at: number): void {
    const { sink, log } = this.#options;
    // That something can be read again, or no longer, is no drift.
    this.#tellLeftOut(snapshot.completeness);
    const whole = this.#leftOut.apply(this.#reader.snapshot(snapshot), snapshot.completeness, sink.node);
    const differences = sink.differences(whole);
    if (differences.length > 0) {
      this.#drifts += 1;
      log.error('the inventory was not what its server has, and is taken anew', {
        generation: whole.generation,
        count: differences.length,
        differences: differences.slice(0, 10),
      });
      sink.tell(whole);
    }
    sink.confirm(at);
  }

  /** What it changes in the same generation. */
  #tellLeftOut(completeness: Completeness | undefined): void {
    const { sink } = this.#options;
    if (this.#reader.generation === undefined) return;
    const change = this.#leftOut.apply(
      { ...noChange, observedAt: this.#observedAt, generation: this.#reader.generation },
      completeness,
      sink.node,
    );
    if (change.nodes.length > 0) sink.tell(change);
  }

  /** A stream may be on its way to what its server has, but not for long. */
  #confirm(generation: Generation | undefined, at: number): void {
    const held = this.#reader.generation;
    if (held === undefined) return;
    const now = this.#options.clock.monotonic();
    const awaited = this.#awaited !== undefined && held.sequence < this.#awaited.sequence ? this.#awaited : undefined;
    if (generation?.epoch !== held.epoch || (awaited !== undefined && now - awaited.since > graceMs)) {
      throw new StatusError('unavailable', 'the stream of the inventory is behind its server: reading everything again', {
        details: leftOut,
      });
    }
    if (generation.sequence <= held.sequence) this.#options.sink.confirm(at);
    else this.#awaited = awaited ?? { sequence: generation.sequence, since: now };
  }

  /** Both times are of the server: only how far they are apart counts here. */
  #hear(completeness: Completeness | undefined, sentAt: number): void {
    const now = this.#options.clock.monotonic();
    const before = new Map(this.#silent.map(({ source, lastHeardAt }) => [source, lastHeardAt]));
    this.#silent = (completeness?.stale ?? []).map(({ source, lastContactAt }) => {
      const lastHeardAt = lastContactAt === undefined ? undefined : now - Math.max(sentAt - timestampMs(lastContactAt), 0);
      const earlier = before.get(source);
      return { source, lastHeardAt: lastHeardAt === undefined || earlier === undefined ? lastHeardAt : Math.min(lastHeardAt, earlier) };
    });
  }
}
