import { EventRecorder, type Notice, type NoticeType } from '@quartermaster/controller';
import { type Clock, type Log, type Random, StatusError } from '@quartermaster/kernel';
import type { KubeClient, KubeObject, ResourceType } from '@quartermaster/kube';

/** Whom a notice is about. */
export interface EventSubject {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

/** Tells people what a part of the simulated cluster does, as Kubernetes Events. Never throws and holds nobody up. */
export interface ClusterEvents {
  tell<T extends KubeObject>(type: ResourceType<T>, subject: EventSubject, noticeType: NoticeType, notice: Notice): void;
  /** Waits a moment for what was told last; after it nothing more is written. */
  stop(): Promise<void>;
}

export interface ClusterEventsOptions {
  readonly client: KubeClient;
  /** What `kubectl describe` shows as the origin. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Enough for what a few thousand pods say at once. Beyond that notices are lost, as with real recorders, and nothing else is. */
const maxSeries = 10_000;
const lastWordsMs = 1_000;

export const noEvents: ClusterEvents = { tell: () => {}, stop: async () => {} };

export function startClusterEvents({ client, component, clock, random, log }: ClusterEventsOptions): ClusterEvents {
  let isStopped = false;
  const whileRunning = <T>(write: () => Promise<T>): Promise<T> => {
    if (!isStopped) return write();
    return Promise.reject(new StatusError('failed_precondition', `${component} has stopped and tells nothing more`));
  };
  const recorder = new EventRecorder({
    writer: {
      create: (...args) => whileRunning(() => client.create(...args)),
      patch: (...args) => whileRunning(() => client.patch(...args)),
    },
    controller: component,
    instance: 'simulator',
    clock,
    random,
    log,
    maxSeries,
  });
  return {
    tell: (type, metadata, noticeType, notice) => recorder.record<KubeObject>(type, { metadata }, noticeType, notice),
    stop: async () => {
      await recorder.flush(AbortSignal.timeout(lastWordsMs));
      isStopped = true;
    },
  };
}
