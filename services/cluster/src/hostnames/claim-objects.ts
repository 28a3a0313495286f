import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { isFailure, type KubeClient, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import { belowSelector, type Claim, type ClaimContent, claimObject, readClaim } from './claim.ts';
import type { ClaimView } from './claim-view.ts';

export type ClaimReader = Pick<KubeClient, 'find' | 'pages'>;

/** Requests of one term, each of which the view shows as soon as it is answered. */
export class ClaimObjects {
  readonly #reader: ClaimReader;
  readonly #writer: Pick<KubeWriter, 'create' | 'replace' | 'delete'>;
  readonly #view: ClaimView;

  constructor(reader: ClaimReader, writer: Pick<KubeWriter, 'create' | 'replace' | 'delete'>, view: ClaimView) {
    this.#reader = reader;
    this.#writer = writer;
    this.#view = view;
  }

  /** From this state alone; undefined: there was none. */
  async write(from: Claim | undefined, content: ClaimContent, signal: AbortSignal): Promise<Claim> {
    const object = claimObject(content, from);
    const options = { fieldManager, fieldValidation: 'Strict', signal } as const;
    const write =
      from === undefined
        ? this.#writer.create(hostnameClaimType, object, options)
        : this.#writer.replace(hostnameClaimType, object, options);
    return this.#view.wrote(await write);
  }

  /** In this state alone. */
  async delete({ name, uid, resourceVersion }: Claim, signal: AbortSignal): Promise<void> {
    await this.#writer.delete(hostnameClaimType, { name }, { preconditions: { uid, resourceVersion }, signal });
    this.#view.removed(name, uid);
  }

  /** As the server has it now. */
  async look(name: string, signal: AbortSignal): Promise<Claim | undefined> {
    const known = this.#view.get(name);
    const found = await this.#reader.find(hostnameClaimType, { name }, { signal });
    if (known !== undefined && found?.metadata?.uid !== known.uid) this.#view.removed(name, known.uid);
    return found === undefined ? undefined : this.#view.wrote(found);
  }

  /** The wildcard and the names of one label, as the quorum has them. */
  async listBelow(parent: string, signal: AbortSignal): Promise<readonly Claim[]> {
    const found: Claim[] = [];
    for await (const { items } of this.#reader.pages(hostnameClaimType, { labelSelector: belowSelector(parent), signal }))
      for (const item of items) {
        found.push(readClaim(item));
        this.#view.wrote(item);
      }
    return found;
  }

  async listAll(signal?: AbortSignal): Promise<void> {
    const found = [];
    let version = '';
    for await (const { items, resourceVersion } of this.#reader.pages(hostnameClaimType, { signal })) {
      found.push(...items);
      version = version === '' ? resourceVersion : version;
    }
    this.#view.listed(found, version);
  }
}

/** The object is not in the state that the write was decided on: it has to be looked at, and decided anew. */
export const isOvertaken = (thrown: unknown): boolean => isFailure(thrown, 'conflict', 'not-found', 'already-exists');
