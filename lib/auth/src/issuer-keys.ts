/**
 * The public keys of one issuer, found by discovery. They are read when the first token needs one, again every ten minutes in the background, and
 * at once when a token names a key that is not among them, though not more often than every 30 seconds: whoever makes up key names does not make the
 * issuer busy. While the issuer is away, the keys that are known go on working.
 */
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters, type LocalJWKSet } from 'jose';
import * as z from 'zod';
import { isSafe } from './access-settings.ts';
import type { ReadJson } from './read-json.ts';

/** Where the keys come from that tokens of an issuer are signed with. */
export interface KeySource {
  /** Differs after the keys changed. */
  readonly generation: number;
  /** The key that a token names. Throws an error of jose when there is none, and `unavailable` when that cannot be told now. */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<LocalJWKSet>;
}

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly readJson: ReadJson;
  readonly clock: Clock;
  readonly log: Log;
}

const refreshIntervalMs = 10 * 60_000;
const minPauseMs = 30_000;
/** After a failure nothing may be known at all, so it is tried again sooner. */
const pauseAfterFailureMs = 2_000;
const readTimeoutMs = 10_000;

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1) });

export class IssuerKeys implements KeySource {
  readonly #options: IssuerKeysOptions;
  #generation = 0;
  #known: { readonly find: LocalJWKSet; readonly text: string; readonly readAt: number } | undefined;
  #lastTry: { readonly at: number; readonly problem: string | undefined } | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  get generation(): number {
    return this.#generation;
  }

  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<LocalJWKSet> {
    if (this.#known === undefined) await this.#readAgain();
    else if (this.#options.clock.monotonic() - this.#known.readAt > refreshIntervalMs) void this.#readAgain();
    const known = this.#known;
    if (known === undefined) throw this.#away('its keys are not known');
    try {
      return await known.find(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
    }
    await this.#readAgain();
    if (this.#lastTry?.problem !== undefined) throw this.#away('the token is signed with a key that is not known yet');
    return await (this.#known ?? known).find(header, token);
  }

  #away(what: string): StatusError {
    const { issuer } = this.#options;
    return new StatusError(
      'unavailable',
      `${what} and issuer ${issuer} cannot be asked (${this.#lastTry?.problem ?? 'not yet'}): try again`,
    );
  }

  /** Resolves when the keys are as new as they may be; a failure is remembered and not thrown. */
  async #readAgain(): Promise<void> {
    if (this.#reading !== undefined) return await this.#reading;
    const now = this.#options.clock.monotonic();
    const last = this.#lastTry;
    if (last !== undefined && now - last.at < (last.problem === undefined ? minPauseMs : pauseAfterFailureMs)) return;
    this.#reading = this.#read(now).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(at: number): Promise<void> {
    const { issuer, log } = this.#options;
    try {
      const keys = await this.#download();
      const text = JSON.stringify(keys);
      if (text !== this.#known?.text) {
        this.#generation += 1;
        log.info('keys of the issuer read', { issuer, keys: keys.keys.length });
      }
      this.#known = { find: createLocalJWKSet(keys), text, readAt: at };
      this.#lastTry = { at, problem: undefined };
    } catch (thrown) {
      const problem = messageOf(thrown);
      this.#lastTry = { at, problem };
      log.warn('keys of the issuer cannot be read', { issuer, problem, hasKeys: this.#known !== undefined });
    }
  }

  async #download(): Promise<JSONWebKeySet> {
    const { issuer, readJson, clock } = this.#options;
    const giveUp = new AbortController();
    const cancel = clock.schedule(readTimeoutMs, () =>
      giveUp.abort(new StatusError('unavailable', `no answer within ${readTimeoutMs} ms`)),
    );
    try {
      const document = discoveryDocument.parse(await readDiscovery(issuer, readJson, giveUp.signal));
      if (document.issuer !== issuer)
        throw new StatusError('unavailable', `its discovery document names the issuer ${document.issuer}: configure that name`);
      const keysUrl = new URL(document.jwks_uri);
      if (!isSafe(keysUrl)) throw new StatusError('unavailable', `its keys are at ${keysUrl.href}, and must be at an https address`);
      return keySet.parse(await readJson(keysUrl, giveUp.signal));
    } catch (thrown) {
      if (giveUp.signal.aborted) throw giveUp.signal.reason;
      if (thrown instanceof z.ZodError) throw new StatusError('unavailable', 'it has no valid OpenID Connect discovery document');
      throw thrown;
    } finally {
      cancel();
    }
  }
}

/** As OpenID Connect has it, and else as RFC 8414 has it. */
async function readDiscovery(issuer: string, readJson: ReadJson, signal: AbortSignal): Promise<unknown> {
  const base = issuer.replace(/\/$/, '');
  try {
    return await readJson(new URL(`${base}/.well-known/openid-configuration`), signal);
  } catch (thrown) {
    const url = new URL(base);
    const path = url.pathname === '/' ? '' : url.pathname;
    return await readJson(new URL(`/.well-known/oauth-authorization-server${path}`, url), signal).catch(() => {
      throw thrown;
    });
  }
}
