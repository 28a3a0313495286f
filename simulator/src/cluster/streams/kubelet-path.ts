import { codeOf, StatusError } from '@quartermaster/kernel';

/** What a request to the kubelet is about: `/verb/namespace/pod/container`. */
export interface KubeletPath {
  readonly verb: string;
  readonly namespace: string;
  readonly pod: string;
  /** Empty where the path names none. */
  readonly container: string;
  readonly query: URLSearchParams;
}

/** Undefined for a path that names no pod. A uid before the container, as older API servers have it, is passed over. */
export function parseKubeletPath(url: string): KubeletPath | undefined {
  // Not resolved against a base: a path that begins with two slashes would read as a host.
  const [path = '', search = ''] = url.split('?', 2);
  const [verb = '', namespace, pod, ...rest] = path.split('/').slice(1).map(decoded);
  if (namespace === undefined || pod === undefined) return undefined;
  return { verb, namespace, pod, container: rest.at(-1) ?? '', query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new StatusError('invalid_argument', `"${part}" in the path is not percent-encoded text`, { cause });
  }
}

export function httpStatusOf(error: unknown): number {
  const code = codeOf(error);
  if (code === 'not_found') return 404;
  if (code === 'invalid_argument') return 400;
  return code === 'unavailable' ? 503 : 500;
}
