import { type Clock, sleep } from '@quartermaster/kernel';
import { failureOf } from '../pods/image-failure.ts';
import type { ContainerProgram } from './image-registry.ts';

/** How long a program that fails on purpose runs: long enough to be seen. */
const momentMs = 1000;

/** The program of an image that fails on purpose; undefined for one that does not. */
export function failingProgram(image: string, clock: Clock): ContainerProgram | undefined {
  const failure = failureOf(image);
  if (failure === undefined) return undefined;
  return async (context, signal) => {
    context.log(`this image of the simulator fails on purpose: ${image}`);
    await sleep(clock, momentMs, signal).catch(() => {});
    if (signal.aborted) return 0;
    context.log(failure.log);
    return failure;
  };
}

/**
 * Why the image cannot be pulled, in the words of a kubelet; undefined for one that can. Names below `nowhere.invalid` have no address anywhere (RFC 2606), and no
 * registry of a simulated cluster has the tag `missing`. Workloads of scenarios that name no image have one of `registry.invalid`, which runs.
 */
export function pullProblem(image: string): string | undefined {
  const slash = image.indexOf('/');
  const host = slash < 0 ? '' : image.slice(0, slash);
  const isUnknownHost = /(^|\.)nowhere\.invalid(:\d+)?$/.test(host);
  const isMissing = image.endsWith(':missing');
  if (!isUnknownHost && !isMissing) return undefined;
  const [, path = '', tag = 'latest'] = /^(.*?)(?::([^/:]+))?$/.exec(image.slice(slash + 1)) ?? [];
  const full = `${host === '' ? '' : `${host}/`}${path}:${tag}`;
  const start = `failed to pull and unpack image "${full}": failed to resolve reference "${full}"`;
  if (!isUnknownHost) return `${start}: ${full}: not found`;
  const name = host.replace(/:\d+$/, '');
  return `${start}: failed to do request: Head "https://${host}/v2/${path}/manifests/${tag}": dial tcp: lookup ${name}: no such host`;
}
