import { type KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import type { LookedAt, PodDetail, PodNames, PodRow } from '../../kubernetes-view.ts';
import { podDetail, podRow } from './pod-view.ts';

export interface LogQuery {
  readonly container?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly previous?: boolean | undefined;
  readonly tailLines: number;
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

const namesAtOnce = 1_000;
const mostLooked = 20_000;
const readAtOnce = 8;

/** More of a log than a page shows is cut off. */
const mostLogBytes = 16 * 1024 * 1024;

// A server that cannot leave the rest out sends whole pods.
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Pods as the API server has them now. Nothing is kept: each question is asked there. */
export class PodReader {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async get(namespace: string, name: string, signal: AbortSignal): Promise<PodDetail> {
    return podDetail(await this.#client.get(kinds.pods, { namespace, name }, { signal }));
  }

  /** As the API server sends it, once it has begun to: until the end of the log, of what is shown, or of the signal. */
  async log(namespace: string, name: string, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#client.transport.open({
      what: `log of pods ${namespace}/${name}`,
      method: 'GET',
      path: `${podsOf(namespace)}/${encodeURIComponent(name)}/log`,
      query: { ...query },
      accept: '*/*',
      signal,
    });
    return bounded(body, mostLogBytes);
  }

  /** Pods that have every word of a text in `namespace/name`, whatever their case: names alone are read, and no more of them than are bearable. */
  async named(text: string, limit: number, signal: AbortSignal): Promise<PodNames> {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const found: PodName[] = [];
    let looked = 0;
    let token: string | undefined;
    do {
      const page = await this.#names(token, signal);
      for (const { metadata } of page.items ?? []) {
        const { namespace = '', name = '' } = metadata ?? {};
        const own = `${namespace}/${name}`.toLowerCase();
        looked += 1;
        if (words.every((word) => own.includes(word))) found.push({ namespace, name });
        if (found.length >= limit) return await this.#found(found, { pods: looked, isComplete: false }, signal);
      }
      token = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    } while (token !== undefined && looked < mostLooked);
    return await this.#found(found, { pods: looked, isComplete: token === undefined }, signal);
  }

  async #names(token: string | undefined, signal: AbortSignal): Promise<MetadataList> {
    return await this.#client.transport.json<MetadataList>({
      what: 'list names of pods',
      method: 'GET',
      path: '/api/v1/pods',
      query: { limit: namesAtOnce, continue: token },
      accept: metadataOnly,
      signal,
    });
  }

  async #found(names: readonly PodName[], looked: LookedAt, signal: AbortSignal): Promise<PodNames> {
    const pods: PodRow[] = [];
    for (let start = 0; start < names.length; start += readAtOnce) {
      const some = names.slice(start, start + readAtOnce);
      // One that is gone by now is none that was found.
      const read = await Promise.all(some.map((name) => this.#client.find(kinds.pods, name, { signal })));
      pods.push(...read.flatMap((pod) => (pod === undefined ? [] : [podRow(pod)])));
    }
    return { pods, looked };
  }
}

const podsOf = (namespace: string): string => `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;

async function* bounded(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array, void> {
  let left = mostBytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
