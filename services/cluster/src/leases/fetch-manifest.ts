import { codeOf, messageOf } from '@quartermaster/kernel';
import type { ReceivedManifest } from '../market/market.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { advance } from './lease-transitions.ts';
import { type RefusedManifest, refusedAgain } from './refused-manifest.ts';
import { isReadable, takeManifest } from './take-manifest.ts';

/** So many new manifests of a lease are judged within `judgedForMs`. Of those that come beyond that the newest counts, once one of the former is so old. */
const judgedAtOnce = 5;
const judgedForMs = 60_000;

/** Has leases run the manifests that the market has of them. Of one term. */
export class ManifestFetcher {
  readonly #context: LeaseContext;
  readonly #refused = new Map<string, RefusedManifest>(); // lease -> the market's manifest that was refused last
  readonly #judgedAt = new Map<string, readonly number[]>(); // lease -> when new manifests of it were judged lately, by the monotonic clock

  constructor(context: LeaseContext) {
    this.#context = context;
  }

  forget(name: string): void {
    this.#refused.delete(name);
    this.#judgedAt.delete(name);
  }

  /** Where the market has another manifest than the one that is stored, and it was not refused just now. */
  async fetch(at: LeaseAt): Promise<void> {
    const { view, manifests, clock } = this.#context;
    const { name, record } = at;
    const hash = view.of(name).lease?.manifestHash;
    if (hash === undefined) return;
    if (manifests.shown(record.namespace)?.hash === hash && isReadable(manifests, record.namespace)) return await this.#accept(at);
    const refused = this.#refused.get(name);
    const last = refused?.hash === hash ? refused : undefined;
    if (last !== undefined && clock.monotonic() < last.againAt) return;
    // Each costs the market a read of the SDL, and one that is taken dozens of writes and new pods: an account that sends them without end holds up nobody else.
    const judgedAt = (this.#judgedAt.get(name) ?? []).filter((time) => clock.monotonic() - time < judgedForMs);
    if (last === undefined && judgedAt.length >= judgedAtOnce) return;
    const received = await this.#receive(at, hash, last);
    if (last === undefined) this.#judgedAt.set(name, [...judgedAt, clock.monotonic()]);
    // The market has a newer one by now, and will be read again.
    if (received === undefined || (received.hash !== undefined && received.hash !== hash)) return;
    const verdict = await takeManifest(this.#context, at, received);
    if (verdict.kind === 'refused') this.#refused.set(name, refusedAgain(hash, verdict.reasons, last, clock.monotonic()));
    else this.#refused.delete(name);
  }

  /** The tenant has gone back to what is stored: what was refused in between is nobody's wish any more. */
  async #accept({ name, record }: LeaseAt): Promise<void> {
    this.#refused.delete(name);
    if (record.refused === undefined) return;
    const { records, writer } = this.#context;
    await records.change(writer, name, (before) => ({ ...before, refused: undefined }));
  }

  async #receive(at: LeaseAt, hash: string, last: RefusedManifest | undefined): Promise<ReceivedManifest | undefined> {
    const { market, records, writer, clock } = this.#context;
    try {
      return await market.manifestOf(at.lease, at.signal);
    } catch (thrown) {
      // Only another manifest helps, and only the tenant can send one: it has to know.
      if (codeOf(thrown) !== 'failed_precondition') throw thrown;
      const reason = { code: 'ManifestUnavailable', message: `the market does not hand over the manifest: ${messageOf(thrown)}` };
      const event = { kind: 'manifest-refused', hash, reason: reason.code, message: reason.message } as const;
      await records.change(writer, at.name, (before) => advance(before, event, clock.now()));
      this.#refused.set(at.name, refusedAgain(hash, [reason], last, clock.monotonic()));
      return undefined;
    }
  }
}
