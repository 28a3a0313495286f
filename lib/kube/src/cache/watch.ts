import { StatusError } from '@quartermaster/kernel';
import type { KubeObject, ResourceType } from '../objects/objects.ts';
import { collectionPath } from '../objects/resource-path.ts';
import { connectionError, errorFromAnswer, type KubeStatus } from '../transport/failure-from-answer.ts';
import { LineSplitter } from '../transport/lines.ts';
import type { KubeTransport } from '../transport/transport.ts';
import type { AnswerDecoder, DecodedEvent } from './answer-decoder.ts';

export interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Events after this version. */
  readonly resourceVersion: string;
  /** When the server should end the watch by itself. */
  readonly timeoutSeconds: number;
  readonly decoder: AnswerDecoder;
  readonly signal: AbortSignal;
}

/** What a watch tells. Called synchronously, in the order of the server. */
export interface WatchHandler<T> {
  /** The server accepted the watch. */
  opened(): void;
  /** Bytes arrived, whatever they hold. */
  contact(): void;
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  /** Nothing before this version is still to come. */
  bookmark(resourceVersion: string): void;
}

/** After this long in one turn, other work of the process gets its turn before the next chunk is read. */
const turnMs = 20;

/** Runs one watch until the server ends it (resolves) or something breaks (throws). */
export async function watch<T extends KubeObject>(
  transport: KubeTransport,
  type: ResourceType<T>,
  options: WatchOptions,
  handler: WatchHandler<T>,
): Promise<void> {
  const what = `watch ${type.plural}`;
  const answer = await transport.open({
    what,
    method: 'GET',
    path: collectionPath(type, options.namespace),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.timeoutSeconds,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    },
    signal: options.signal,
  });
  handler.opened();
  const lines = new LineSplitter();
  const line = (bytes: Buffer): void => dispatch(what, options.decoder, bytes, handler);
  try {
    let turnStart = performance.now();
    for await (const chunk of answer.body) {
      handler.contact();
      lines.push(chunk as Buffer, line);
      if (performance.now() - turnStart > turnMs) {
        await nextTurn();
        turnStart = performance.now();
      }
    }
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    throw error instanceof StatusError ? error : connectionError(what, error);
  }
}

function dispatch<T>(what: string, decoder: AnswerDecoder, bytes: Buffer, handler: WatchHandler<T>): void {
  if (bytes.length === 0) return;
  const event = decodeEvent(what, decoder, bytes);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      handler.changed(event.type, event.object as T);
      return;
    case 'BOOKMARK':
      handler.bookmark((event.object as KubeObject).metadata?.resourceVersion ?? '');
      return;
    case 'ERROR': {
      const status = event.object as KubeStatus;
      throw errorFromAnswer(what, status.code ?? 500, status, undefined);
    }
    default:
      // A type of event that this version does not know carries no change that it could apply.
      return;
  }
}

function decodeEvent(what: string, decoder: AnswerDecoder, bytes: Buffer): DecodedEvent {
  try {
    return decoder.event(bytes);
  } catch (error) {
    // A line that breaks off is a connection that broke off.
    throw connectionError(what, error);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
