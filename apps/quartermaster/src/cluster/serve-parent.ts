import { codeOf, messageOf } from '@quartermaster/kernel';
import { type ChildNews, type ChildReady, childOrderSchema } from './child-protocol.ts';

export interface StartedPart {
  readonly ready: Omit<ChildReady, 'kind'>;
  stop(): Promise<void>;
}

export type StartPart = (settings: unknown, onProgress: (text: string) => void, signal: AbortSignal) => Promise<StartedPart>;

const stopWithinMs = 4_000;

/**
 * Runs a part in this process for the parent that forked it: starts it when told, stops it when told or when the parent is
 * gone. The process then ends as soon as nothing is left in it to run.
 */
export function serveParent(start: StartPart): void {
  const stopping = new AbortController();
  let starting: Promise<StartedPart> | undefined;
  const tell = (news: ChildNews): void => {
    if (process.connected) process.send?.(news, () => {});
  };

  const begin = async (settings: unknown): Promise<void> => {
    try {
      starting = start(settings, (text) => tell({ kind: 'progress', text }), stopping.signal);
      const { ready } = await starting;
      tell({ kind: 'ready', ...ready });
    } catch (error) {
      if (!stopping.signal.aborted) tell({ kind: 'failed', code: codeOf(error), message: messageOf(error) });
    }
  };
  const end = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error('told to stop'));
    // Whatever still holds this process open after that is not worth waiting for.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopWithinMs).unref();
    // Why it did not start, `begin` has told the parent.
    const part = await starting?.catch(() => undefined);
    await part?.stop();
    if (process.connected) process.disconnect();
  };

  process.on('message', (message) => {
    const order = childOrderSchema.parse(message);
    void (order.kind === 'start' ? begin(order.settings) : end());
  });
  process.on('disconnect', () => void end());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());
}
