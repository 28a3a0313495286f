import { tenantShellType } from '@quartermaster/api/tenant-shell';
import {
  backoffMs,
  type Clock,
  createUuidV7,
  defaultBackoff,
  type Log,
  messageOf,
  pause,
  type Random,
  StatusError,
} from '@quartermaster/kernel';
import { isFailure, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../../model/field-manager.ts';
import { orderName } from '../../reservations/order-name.ts';
import type { OpenedShell, ShellJournal } from '../streams/shell-journal.ts';
import { shellObject } from './shell-record.ts';

export interface KubeShellJournalOptions {
  readonly writer: Pick<KubeWriter, 'create' | 'patch'>;
  /** That serves the shells. */
  readonly replica: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Log, 'warn'>;
}

/** A tenant waits for it. */
const recordWithinMs = 5_000;
const maxTries = 6;
const stopWithinMs = 2_000;
const longestOutcome = 256;

/** Records shells of tenants as `TenantShell`s. Every replica writes those that it serves. */
export class KubeShellJournal implements ShellJournal {
  readonly #options: KubeShellJournalOptions;
  readonly #newName: () => string;
  /** Of those that are not recorded as closed yet. */
  readonly #ends = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(options: KubeShellJournalOptions) {
    this.#options = options;
    this.#newName = createUuidV7(options);
  }

  /** Throws `unavailable`, with nothing that the cluster said. The end is written in the background; one that cannot be written is left out, and the record stays without. */
  async opened(shell: OpenedShell): Promise<{ readonly closed: (outcome: string | number) => void }> {
    const { writer, replica, clock, log } = this.#options;
    const name = this.#newName();
    const object = shellObject(shell, { name, replica, openedAt: clock.now() });
    try {
      await writer.create(tenantShellType, object, { fieldManager, fieldValidation: 'Strict', timeoutMs: recordWithinMs });
    } catch (thrown) {
      log.warn('a shell was not opened, since it cannot be recorded', { lease: orderName(shell.lease), error: messageOf(thrown) });
      // It may have been stored all the same.
      if (isFailure(thrown, 'connection', 'timeout', 'server')) this.#end(name, Promise.resolve('not opened'));
      throw new StatusError('unavailable', 'the shell cannot be opened, since it cannot be recorded at the moment: try again', {
        cause: thrown,
      });
    }
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#end(name, promise);
    return { closed: (outcome) => resolve(String(outcome)) };
  }

  /** Waits for a moment until what has ended is written, and writes nothing after it. */
  async stop(): Promise<void> {
    const waited = new AbortController();
    await Promise.race([Promise.all(this.#ends), pause(this.#options.clock, stopWithinMs, waited.signal)]);
    waited.abort();
    this.#stopped.abort();
  }

  #end(name: string, outcome: Promise<string>): void {
    const end = this.#writeEnd(name, outcome).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  async #writeEnd(name: string, ended: Promise<string>): Promise<void> {
    const { writer, clock, random, log } = this.#options;
    const { signal } = this.#stopped;
    const outcome = (await ended).slice(0, longestOutcome);
    const body = { status: { closedAt: new Date(clock.now()).toISOString(), outcome } };
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await writer.patch(tenantShellType, { name }, { kind: 'merge', body }, { fieldManager, subresource: 'status', signal });
        return;
      } catch (thrown) {
        // Removed as one of too many, or never stored.
        if (isFailure(thrown, 'not-found')) return;
        if (tries < maxTries) await pause(clock, backoffMs(tries, defaultBackoff, random), signal);
        else {
          log.warn('the end of a shell is not recorded', { shell: name, error: messageOf(thrown) });
          return;
        }
      }
    }
  }
}
