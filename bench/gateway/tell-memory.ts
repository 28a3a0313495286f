import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayRequest, Memory } from './protocol.ts';

const sampleEveryMs = 20;
/** What is found unused frees buffers, whose pages go back to the system a moment later. */
const [collections, betweenMs] = [3, 100];

/** Answers what this process is asked about its memory. It must have been started with `--expose-gc`. */
export function tellMemory(): void {
  let peak = 0;
  let sampling: NodeJS.Timeout | undefined;
  const sample = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const answer = async ({ kind }: GatewayRequest): Promise<Memory> => {
    clearInterval(sampling);
    if (kind === 'peak') return { rssBytes: peak };
    const rssBytes = await collected();
    if (kind === 'observe') {
      peak = 0;
      sampling = setInterval(sample, sampleEveryMs);
    }
    return { rssBytes };
  };
  process.on('message', (request: GatewayRequest) => void answer(request).then((told) => process.send?.(told)));
}

async function collected(): Promise<number> {
  if (gc === undefined) throw new Error('garbage can be collected only with --expose-gc');
  for (let each = 0; each < collections; each += 1) {
    await gc({ type: 'major', execution: 'async', flavor: 'last-resort' });
    await pause(betweenMs);
  }
  return process.memoryUsage.rss();
}
