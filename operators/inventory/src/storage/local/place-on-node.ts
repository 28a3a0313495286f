import { posix } from 'node:path';
import type { FilesystemFacts } from '@quartermaster/api/node-hardware';

/** Where something on a node may lie. */
export interface Place {
  /** Whether an agent tells on which device: it measures the path, or a folder around it. */
  readonly isMeasured: boolean;
  readonly devices: ReadonlySet<string>;
  /** Whether pods' ephemeral storage may be there, too. */
  readonly inEphemeral: boolean;
  /** False where it counts as being with others although it may be apart from them. */
  readonly isCertain: boolean;
}

/** By which something is looked for: paths, and the size of its filesystem, where that is known. */
interface Sought {
  readonly paths: readonly string[];
  readonly sizeBytes?: number | undefined;
}

/** For agents that do not say which folder is the kubelet's. */
const usualKubeletPath = '/var/lib/kubelet';

/** Stand among devices for the one of the kubelet while no agent tells it, and for all that no agent tells of. No device is called so. */
const untoldKubelet = 'kubelet?';
const untold = '?';

/** Shares nothing with anybody: a device of its own, or nothing at all. */
export const nowhere: Place = { isMeasured: true, devices: new Set(), inEphemeral: false, isCertain: true };

/**
 * Where something on a node may lie: by its path, else by the nearest folder around it that is measured, else on filesystems of its size, else anywhere. Agents measure sizes again
 * and again. `ephemeralBytes` is what the kubelet saw of its filesystem when it started, and that may have been grown since; undefined where there is nothing to share with it.
 */
export function placeOn(
  reported: readonly FilesystemFacts[] = [],
  { paths, sizeBytes = 0 }: Sought,
  ephemeralBytes: number | undefined,
): Place {
  const around = paths.flatMap((path) => nearest(path, reported) ?? []);
  const isMeasured = around.length > 0;
  const kubelet = ephemeralFilesystem(reported);
  const known =
    kubelet === undefined && ephemeralBytes !== undefined ? [...reported, { device: untoldKubelet, sizeBytes: ephemeralBytes }] : reported;
  const devices = new Set((isMeasured ? around : ofSize(sizeBytes, known)).map(({ device }) => device));
  const isAlone = !isMeasured && devices.size === 1 && devices.has(untold);
  return {
    isMeasured,
    devices,
    inEphemeral: !isAlone && holdsEphemeral(devices, reported),
    isCertain: isAlone || (isMeasured && kubelet !== undefined),
  };
}

function ofSize(sizeBytes: number, known: readonly Pick<FilesystemFacts, 'device' | 'sizeBytes'>[]) {
  const alike = known.filter((each) => each.sizeBytes === sizeBytes);
  if (sizeBytes > 0 && alike.length > 0) return alike;
  const mayBeGrown = (device: string, size: number): boolean => device === untoldKubelet && size < sizeBytes;
  return [...known.filter((each) => sizeBytes === 0 || mayBeGrown(each.device, each.sizeBytes)), { device: untold }];
}

export const haveCommon = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean => [...some].some((each) => others.has(each));

/** Whether pods' ephemeral storage is on one of these devices of a node; yes while nobody says where it is. */
export function holdsEphemeral(devices: ReadonlySet<string>, reported: readonly FilesystemFacts[] | undefined): boolean {
  const kubelet = ephemeralFilesystem(reported);
  return kubelet === undefined || devices.has(kubelet.device);
}

/** The filesystem with pods' ephemeral storage; undefined while nobody says which that is. */
function ephemeralFilesystem(reported: readonly FilesystemFacts[] = []): FilesystemFacts | undefined {
  return reported.find((each) => each.holdsEphemeral === true) ?? reported.find(({ path }) => trimmed(path) === usualKubeletPath);
}

function nearest(folder: string, reported: readonly FilesystemFacts[]): FilesystemFacts | undefined {
  const own = `${trimmed(folder)}/`;
  const around = reported.filter(({ path }) => own.startsWith(`${trimmed(path)}/`));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Configurations are written by hand: /data/ is /data. */
export const trimmed = (path: string): string => posix.normalize(path).replace(/\/$/, '');
