import { consoleHeader, sessionPath } from '../../console-session.ts';
import { sessionReplaced } from '../../session-view.ts';
import { ownKey } from '../session/own-key.ts';
import { ApiError } from './api-error.ts';
import { renewSession, sessionEndedEvent } from './renew-session.ts';

export interface ApiCall {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | undefined;
  /** What is undefined or empty is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Check only: nothing is written. */
  readonly isDryRun?: boolean | undefined;
  /** Shown instead of that of the session. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the API through the console's server. Throws an ApiError for whatever is no success. */
export async function callApi<T>(path: string, call: ApiCall = {}): Promise<T> {
  const answer = await requestApi(path, call);
  const text = await answer.text();
  return (text === '' ? {} : JSON.parse(text)) as T;
}

interface ApiRequest extends ApiCall {
  readonly accept?: string | undefined;
}

/** The same for answers that are not JSON: streams and files. What is refused because a session ended is asked once more when that could be renewed. */
export async function requestApi(path: string, request: ApiRequest = {}): Promise<Response> {
  const answer = await send(path, request);
  if (answer.ok) return answer;
  const error = await errorIn(answer);
  if (error.reason === sessionReplaced) {
    // Nothing is asked again: it would be in the name of whoever signed in since.
    window.dispatchEvent(new Event(sessionEndedEvent));
    throw error;
  }
  if (answer.status !== 401 || path.startsWith(sessionPath) || !(await renewSession())) throw error;
  const again = await send(path, request);
  if (again.ok) return again;
  throw await errorIn(again);
}

async function send(
  path: string,
  { method = 'GET', query = {}, body, isDryRun = false, key, signal, accept }: ApiRequest,
): Promise<Response> {
  return await fetch(withQuery(path, query), {
    method,
    headers: {
      accept: accept ?? 'application/json',
      [consoleHeader]: key ?? ownKey.current ?? '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(isDryRun ? { 'x-dry-run': 'true' } : {}),
    },
    cache: 'no-store',
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw new ApiError('unavailable', 'the console server does not respond: is quartermaster up still running?');
  });
}

function withQuery(path: string, query: NonNullable<ApiCall['query']>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

async function errorIn(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  try {
    return errorOf(JSON.parse(text));
  } catch {
    return new ApiError(
      answer.status >= 500 ? 'unavailable' : 'internal',
      `the server responded with ${answer.status} and no error message`,
    );
  }
}

/** An error as the API writes it, in an answer or at the end of a stream. */
export function errorOf(json: unknown): ApiError {
  const { code, message, details } = json as { readonly code: string; readonly message: string; readonly details?: object };
  return new ApiError(code, message, details ?? {});
}
