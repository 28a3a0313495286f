import type { Controller, ControllerOptions, ControllerStatus, EventRecorder, Reconciler } from '@quartermaster/controller';
import { messageOf, StatusError } from '@quartermaster/kernel';
import type { ElectionStatus, FencedWriter, KubeClient, LeaderElection, Leadership } from '@quartermaster/kube';
import { degraded, healthy } from '@quartermaster/service';
import type { RoleHost } from './role-host.ts';

/** One time of leading. */
export interface Term {
  readonly leadership: Leadership;
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** Writes that a former leader cannot make. */
  readonly writer: FencedWriter;
  /** Tells people, on the objects themselves, what happens to them. */
  readonly events: EventRecorder;
}

export interface LedController extends Omit<ControllerOptions, 'reconciler' | 'clock' | 'random' | 'log' | 'onOutcome'> {
  readonly name: string;
  /** Made anew for each term, on its writer. */
  readonly reconciler: (term: Term) => Reconciler;
}

interface Led {
  readonly name: string;
  controller: Controller | undefined;
  lastSuccessAt: number | undefined;
}

/** What was told last is sent after the term, too. */
const flushTimeoutMs = 1_000;

/** What the one replica that leads does: duties and controllers, for as long as each term lasts. */
export class RoleLeadership {
  readonly #host: RoleHost;
  readonly #lease: string;
  readonly #duties: { readonly name: string; readonly run: (term: Term) => Promise<void> }[] = [];
  readonly #controllers: Led[] = [];
  #election: LeaderElection | undefined;
  #address: string | undefined;
  #awaited: (signal: AbortSignal) => Promise<void> = async () => {};

  constructor(host: RoleHost, lease: string) {
    this.#host = host;
    this.#lease = lease;
  }

  /**
   * Done during every term. Returns when the signal of the term aborts; a failure before that is the failure of the role, which is started again, unless it is that the
   * lease is lost, which ends the term.
   */
  duty(name: string, run: (term: Term) => Promise<void>): void {
    this.#duties.push({ name, run });
  }

  /** A reconciler that works during every term. Its queue, failures and last success show in metrics, health and status. */
  controller({ name, reconciler, ...options }: LedController): void {
    const led: Led = { name, controller: undefined, lastSuccessAt: undefined };
    this.#controllers.push(led);
    const { clock, random, log } = this.#host;
    this.duty(name, async (term) => {
      const { Controller } = await import('@quartermaster/controller');
      led.controller = new Controller({
        ...options,
        reconciler: reconciler(term),
        clock,
        random,
        log,
        onOutcome: ({ kind }) => {
          if (kind === 'done' || kind === 'again') led.lastSuccessAt = clock.now();
        },
      });
      try {
        await led.controller.run(term.signal);
      } finally {
        led.controller = undefined;
      }
    });
  }

  /** Where the other replicas reach this one while it leads, for what only the leader does: `host:port`. To be said before the role has started. */
  reachedAt(address: string): void {
    this.#address = address;
  }

  /** Stands for election only then: before, nothing could be led, and not even a Lease is written. To be said before the role has started. */
  standsAfter(awaited: (signal: AbortSignal) => Promise<void>): void {
    this.#awaited = awaited;
  }

  /** For the host alone: stands for election until the role stops. */
  async begin(client: KubeClient): Promise<void> {
    const { LeaderElection } = await import('@quartermaster/kube');
    const host = this.#host;
    const { clock, random, log, namespace, replica } = host;
    const election = new LeaderElection({
      client,
      namespace,
      name: this.#lease,
      identity: replica,
      address: this.#address,
      clock,
      random,
      log,
    });
    this.#election = election;
    this.#show(election);
    host.run('election', async (signal) => {
      await this.#awaited(signal);
      await election.run((leadership) => this.#lead(client, leadership), signal);
    });
  }

  status(): object {
    const { isLeader, holder } = this.election;
    const controllers = this.#controllers.map(({ name, controller, lastSuccessAt }) => ({
      name,
      lastSuccessAt,
      ...summaryOf(controller?.status()),
    }));
    return { isLeader, leader: holder ?? '', controllers };
  }

  /** Who leads, and why standing for election does not work. */
  get election(): ElectionStatus {
    return this.#election?.status() ?? { isLeader: false, holder: undefined, term: 0, lastError: undefined };
  }

  async #lead(client: KubeClient, leadership: Leadership): Promise<void> {
    const [{ FencedWriter, isFailure }, { EventRecorder }] = await Promise.all([
      import('@quartermaster/kube'),
      import('@quartermaster/controller'),
    ]);
    const { prefix, replica, clock, random, log } = this.#host;
    // Events are told, not decided: one that a former leader still sends does no harm.
    const events = new EventRecorder({ writer: client, controller: `quartermaster.dev/${prefix}`, instance: replica, clock, random, log });
    const ending = new AbortController();
    const signal = AbortSignal.any([leadership.signal, ending.signal]);
    const term: Term = { leadership, signal, writer: new FencedWriter(client, leadership), events };
    await Promise.all(
      this.#duties.map(async ({ name, run }) => {
        try {
          await run(term);
        } catch (thrown) {
          if (signal.aborted) return;
          // The clock says that the lease is lost before the signal does, and a late renewal may even bring it back: the duty does not come back with it.
          if (isFailure(thrown, 'lease-lost') || leadership.remainingMs() <= 0) return ending.abort(thrown);
          this.#host.log.error('a duty of the leader failed', { duty: name, error: messageOf(thrown) });
          // Never final, whatever its code: what the API server refuses as invalid (400, 422) may be valid at the next try.
          this.#host.fail(new StatusError('internal', `duty ${name} of the leader failed`, { cause: thrown }));
        }
      }),
    );
    await events.flush(AbortSignal.timeout(flushTimeoutMs));
  }

  #show(election: LeaderElection): void {
    const { metrics, health, prefix, keep } = this.#host;
    const each = (value: (led: Led, status: ControllerStatus) => number | undefined) => () =>
      this.#controllers.flatMap((led) => {
        const status = led.controller?.status();
        const found = status === undefined ? undefined : value(led, status);
        return found === undefined ? [] : [{ labels: { role: prefix, controller: led.name }, value: found }];
      });
    const labels = ['role', 'controller'] as const;
    const ends = [
      metrics.collectGauge({ name: 'quartermaster_leading', help: 'Whether this replica leads (1) or not (0).', labels: ['role'] }, () => [
        { labels: { role: prefix }, value: election.status().isLeader ? 1 : 0 },
      ]),
      metrics.collectGauge(
        { name: 'quartermaster_controller_queue_depth', help: 'Keys that wait to be reconciled.', labels },
        each((_led, { queue }) => queue.depth),
      ),
      metrics.collectGauge(
        { name: 'quartermaster_controller_failing_keys', help: 'Keys whose last reconcile failed.', labels },
        each((_led, { errors }) => errors.length),
      ),
      metrics.collectGauge(
        { name: 'quartermaster_controller_last_success_timestamp_seconds', help: 'When a key was last reconciled.', labels },
        each(({ lastSuccessAt }) => lastSuccessAt && lastSuccessAt / 1000),
      ),
      health.register('election', 'ready', () => problemOf(this.election.lastError)),
      ...this.#controllers.map((led) =>
        health.register(`controller ${led.name}`, 'ready', () => {
          const errors = led.controller?.status().errors ?? [];
          const [newest] = errors;
          return newest === undefined ? healthy : degraded(`${errors.length} keys fail, among them ${newest.key}: ${newest.message}`);
        }),
      ),
    ];
    keep('checks of the leader', () => ends.forEach((end) => end()));
  }
}

const problemOf = (problem: string | undefined) => (problem === undefined ? healthy : degraded(problem));

function summaryOf(status: ControllerStatus | undefined): object {
  if (status === undefined) return { state: 'standby' };
  const { state, queue, outcomes, errors } = status;
  return { state, queueDepth: queue.depth, outcomes, failing: errors.slice(0, 10) };
}
