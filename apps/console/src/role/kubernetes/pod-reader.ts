import { type KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import type { PodDetail, PodList } from '../../kubernetes-view.ts';
import { podDetail, podRow } from './pod-view.ts';

export interface PodQuery {
  readonly namespace?: string | undefined;
  readonly node?: string | undefined;
  readonly phase?: string | undefined;
  /** Words that must all occur in `namespace/name`, whatever their case. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly continue?: string | undefined;
}

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

/** A search reads names alone, and no more of them than this. */
const searchPageSize = 1_000;
const mostSearched = 20_000;
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

  async list(query: PodQuery, signal: AbortSignal): Promise<PodList> {
    const words = (query.search ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length > 0) return await this.#search(query, words, signal);
    const { namespace, limit, continue: token } = query;
    const page = await this.#client.list(kinds.pods, { namespace, fieldSelector: selectorOf(query), limit, continue: token, signal });
    return { pods: page.items.map(podRow), continue: page.continue, remaining: page.remainingItemCount };
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

  async #search(query: PodQuery, words: readonly string[], signal: AbortSignal): Promise<PodList> {
    const found: { readonly namespace: string; readonly name: string }[] = [];
    let searched = 0;
    let token: string | undefined;
    do {
      const page = await this.#names(query, token, signal);
      for (const { metadata } of page.items ?? []) {
        const { namespace = '', name = '' } = metadata ?? {};
        const text = `${namespace}/${name}`.toLowerCase();
        searched += 1;
        if (words.every((word) => text.includes(word))) found.push({ namespace, name });
        if (found.length >= query.limit) return await this.#found(found, { pods: searched, isComplete: false }, signal);
      }
      token = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    } while (token !== undefined && searched < mostSearched);
    return await this.#found(found, { pods: searched, isComplete: token === undefined }, signal);
  }

  async #names({ namespace, ...query }: PodQuery, token: string | undefined, signal: AbortSignal): Promise<MetadataList> {
    return await this.#client.transport.json<MetadataList>({
      what: 'list names of pods',
      method: 'GET',
      path: podsOf(namespace),
      query: { fieldSelector: selectorOf(query), limit: searchPageSize, continue: token },
      accept: metadataOnly,
      signal,
    });
  }

  async #found(
    refs: readonly { readonly namespace: string; readonly name: string }[],
    searched: NonNullable<PodList['searched']>,
    signal: AbortSignal,
  ): Promise<PodList> {
    const pods: PodList['pods'][number][] = [];
    for (let start = 0; start < refs.length; start += readAtOnce) {
      const some = refs.slice(start, start + readAtOnce);
      // One that is gone by now is none that was found.
      const read = await Promise.all(some.map((ref) => this.#client.find(kinds.pods, ref, { signal })));
      pods.push(...read.flatMap((pod) => (pod === undefined ? [] : [podRow(pod)])));
    }
    return { pods, searched };
  }
}

const podsOf = (namespace: string | undefined): string =>
  namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;

async function* bounded(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array, void> {
  let left = mostBytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function selectorOf({ node, phase }: Pick<PodQuery, 'node' | 'phase'>): string | undefined {
  const terms = [...(node === undefined ? [] : [`spec.nodeName=${node}`]), ...(phase === undefined ? [] : [`status.phase=${phase}`])];
  return terms.length === 0 ? undefined : terms.join(',');
}
