import type { AddressClaim } from '@quartermaster/api/address-claim';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { KubeReader, KubeWriter } from '@quartermaster/kube';
import { AddressBook } from '../src/addresses/address-book.ts';
import { AddressClaims } from '../src/addresses/address-claims.ts';
import { shownObjects } from './shown-objects.ts';

const codes = { 'not-found': 'not_found', conflict: 'aborted', 'already-exists': 'already_exists' } as const;
const failure = (kind: keyof typeof codes): StatusError => new StatusError(codes[kind], kind, { details: { kind, causes: [] } });

/** AddressClaims as an API server has them: each write from the version that it names. */
export class AddressServer {
  readonly objects = new Map<string, AddressClaim>(); // name -> claim
  /** What was asked for and written, in its order. */
  readonly did: string[] = [];
  /** Comes after what is read, and before what is written upon it. */
  between: () => void = () => {};
  #version = 0;

  /** A replica that begins to lead now; what a watch shows is what there is unless it is behind. */
  leader({ isBehind = false, isStale = false } = {}): { readonly book: AddressBook; readonly claims: AddressClaims } {
    const shown = { addressclaims: isBehind ? [] : [...this.objects.values()] };
    const book = new AddressBook(shownObjects(shown, isStale ? ['addressclaims'] : []), new FakeClock());
    return { book, claims: new AddressClaims(book, this.#reader(), this.#writer()) };
  }

  held(): readonly string[] {
    return [...this.objects.values()].map(
      ({ spec }) => `${spec.address} ${spec.endpoint}: ${spec.lease} from ${(spec.formerly ?? []).join()}`,
    );
  }

  #reader(): Pick<KubeReader, 'find' | 'list'> {
    return {
      find: async (_type: unknown, { name }: { readonly name: string }) => this.objects.get(name),
      list: async () => {
        this.did.push('list');
        return { items: [...this.objects.values()] };
      },
    } as unknown as Pick<KubeReader, 'find' | 'list'>;
  }

  #writer(): Pick<KubeWriter, 'create' | 'replace' | 'delete'> {
    const store = (object: AddressClaim, uid: string): AddressClaim => {
      this.#version += 1;
      const { name = '' } = object.metadata ?? {};
      const stored = { ...object, metadata: { ...object.metadata, name, uid, resourceVersion: String(this.#version) } };
      this.objects.set(name, stored);
      return stored;
    };
    const standing = (name = '', version: string | undefined): AddressClaim => {
      this.between();
      const found = this.objects.get(name);
      if (found === undefined) throw failure('not-found');
      if (found.metadata?.resourceVersion !== version) throw failure('conflict');
      return found;
    };
    return {
      create: async (_type: unknown, object: AddressClaim) => {
        this.between();
        if (this.objects.has(object.metadata?.name ?? '')) throw failure('already-exists');
        this.did.push(`create ${object.spec.address}`);
        return store(object, `uid-${this.#version}`);
      },
      replace: async (_type: unknown, object: AddressClaim) => {
        const { metadata } = standing(object.metadata?.name, object.metadata?.resourceVersion);
        this.did.push(`replace ${object.spec.address}`);
        return store(object, metadata?.uid ?? '');
      },
      delete: async (
        _type: unknown,
        { name }: { readonly name: string },
        { preconditions }: { readonly preconditions: { readonly resourceVersion: string } },
      ) => {
        const { spec } = standing(name, preconditions.resourceVersion);
        this.did.push(`delete ${spec.address}`);
        this.objects.delete(name);
      },
    } as unknown as Pick<KubeWriter, 'create' | 'replace' | 'delete'>;
  }
}
