import { addressClaimType } from '@quartermaster/api/address-claim';
import { defineSteps, StatusError } from '@quartermaster/kernel';
import { isFailure, type KubeReader, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import type { AddressBook } from './address-book.ts';
import { addressClaim, addressClaimName, type MovedAddress, type StoredAddress } from './moved-address.ts';

/*
 * A move is one write, which the server accepts only from the state that it was decided upon: before it the one lease has the address, after it the other one. What both of
 * them declare follows from that (`lease-addresses.ts`), whoever leads by then.
 */

export interface AddressMove extends Omit<MovedAddress, 'lease' | 'formerly'> {
  /** Names of leases of the owner. */
  readonly from: string;
  readonly to: string;
}

const steps = defineSteps('address', ['moved', 'released']);

/** The writes of one term. */
export class AddressClaims {
  readonly #book: AddressBook;
  readonly #reader: Pick<KubeReader, 'find' | 'list'>;
  readonly #writer: Pick<KubeWriter, 'create' | 'replace' | 'delete'>;
  #read: Promise<void> | undefined;

  constructor(book: AddressBook, reader: Pick<KubeReader, 'find' | 'list'>, writer: Pick<KubeWriter, 'create' | 'replace' | 'delete'>) {
    this.#book = book;
    this.#reader = reader;
    this.#writer = writer;
  }

  /** Has what the former leader wrote last, which a watch may not have shown yet. Asks once. */
  async caughtUp(): Promise<void> {
    this.#read ??= this.#list();
    try {
      await this.#read;
    } catch (thrown) {
      this.#read = undefined;
      throw thrown;
    }
  }

  /** Asked again, it changes nothing. Throws `aborted` where neither of the two leases has it by now. */
  async move({ address, owner, endpoint, from, to }: AddressMove, signal: AbortSignal): Promise<MovedAddress> {
    const problem = this.#book.problem();
    if (problem !== undefined) throw new StatusError('unavailable', `addresses cannot be moved while ${problem}`);
    const found = await this.#reader.find(addressClaimType, { name: addressClaimName(address) }, { signal });
    const before = found && this.#book.wrote(found);
    if (before !== undefined && (before.owner !== owner || before.endpoint !== endpoint)) throw overtaken(address);
    if (before?.lease === to) return before;
    if (before !== undefined && before.lease !== from) throw overtaken(address);
    const formerly = [...(before?.formerly ?? []).filter((each) => each !== to), from];
    const moved = await this.#write({ address, owner, endpoint, lease: to, formerly }, before, signal).catch((thrown: unknown) => {
      throw isFailure(thrown, 'conflict', 'already-exists', 'not-found') ? overtaken(address, thrown) : thrown;
    });
    await steps.reached('moved');
    return moved;
  }

  /** Gives back what a lease has, and what it would get again, for other endpoints than these: whatever answers there must be gone by now. */
  async release(lease: string, endpoints: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    await this.caughtUp();
    for (const claim of this.#book.all()) {
      const isKept = endpoints.has(claim.endpoint);
      if (claim.lease === lease && !(isKept && this.#book.heldBy(lease, claim.endpoint)?.address === claim.address)) {
        await this.#unlessGone(claim, () => this.#delete(claim, signal));
      } else if (!isKept && claim.formerly.includes(lease)) {
        const formerly = claim.formerly.filter((each) => each !== lease);
        await this.#unlessGone(claim, () => this.#write({ ...claim, formerly }, claim, signal));
      } else continue;
      await steps.reached('released');
    }
  }

  async #write(content: MovedAddress, from: StoredAddress | undefined, signal: AbortSignal): Promise<StoredAddress> {
    const options = { fieldManager, fieldValidation: 'Strict', signal } as const;
    const object = addressClaim(content, from);
    const write =
      from === undefined ? this.#writer.create(addressClaimType, object, options) : this.#writer.replace(addressClaimType, object, options);
    return this.#book.wrote(await write);
  }

  async #delete(claim: StoredAddress, signal: AbortSignal): Promise<void> {
    const { address, uid, resourceVersion } = claim;
    await this.#writer.delete(addressClaimType, { name: addressClaimName(address) }, { preconditions: { uid, resourceVersion }, signal });
    this.#book.removed(claim);
  }

  /** The watch may not have shown yet that it is. */
  async #unlessGone(claim: StoredAddress, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isFailure(thrown, 'not-found')) throw thrown;
      this.#book.removed(claim);
    }
  }

  async #list(): Promise<void> {
    try {
      for (const object of (await this.#reader.list(addressClaimType)).items) this.#book.wrote(object);
    } catch (thrown) {
      // What the cluster has no kind for, it has none of.
      if (!isFailure(thrown, 'kind-missing')) throw thrown;
    }
  }
}

const overtaken = (address: string, cause?: unknown): StatusError =>
  new StatusError('aborted', `the address ${address} changed hands meanwhile: look at the status of your leases, and ask again`, { cause });
