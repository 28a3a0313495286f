import { kinds, openExec, type PodExec, type PodExecOptions, refOf } from '@quartermaster/kube';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { agentImage, gpuPod, isReady, namespace } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

const never = new AbortController().signal;
const mebibyte = 2 ** 20;

/** What has come so far of a command, and how it ended. */
function reading({ output, ended }: PodExec) {
  const read = { text: '', frames: [] as string[], isOver: false };
  void (async () => {
    for await (const { channel, bytes } of output) {
      read.text += Buffer.from(bytes).toString();
      read.frames.push(`${channel}: ${Buffer.from(bytes).toString()}`);
    }
    read.isOver = true;
  })();
  return { read, ended };
}

async function bytesOf({ output }: PodExec): Promise<number> {
  let sum = 0;
  for await (const { bytes } of output) sum += bytes.length;
  return sum;
}

/** Commands in containers, through the API server, as they go on. */
export function describeExec(nodes: () => SimulatedNodes): void {
  describe('commands in containers', () => {
    const run = async (name: string, image?: string): Promise<void> => {
      const pod = gpuPod(name, 0, {}, image === undefined ? {} : { image, args: ['streams'] });
      await nodes().client.create(kinds.pods, pod);
      await vi.waitUntil(async () => isReady(await nodes().client.get(kinds.pods, refOf(pod))), patience);
    };
    const open = (name: string, command: readonly string[], options: Partial<PodExecOptions> = {}): Promise<PodExec> =>
      openExec(nodes().client, { namespace, name }, { command, tty: false, stdin: true, signal: never, ...options });

    beforeAll(async () => {
      await run('shell');
      await run('flood', `${agentImage}:1`);
    });

    it('get what is written to them, until it ends', async () => {
      const exec = await open('shell', ['cat']);
      const { read, ended } = reading(exec);
      await exec.write(Buffer.from('one '));
      await expect.poll(() => read.text).toBe('one ');
      await exec.write(Buffer.from('two'));
      exec.endInput();
      expect(await ended).toBe(0);
      await expect.poll(() => read.text).toBe('one two');
    });

    it('without input find its end at once', async () => {
      expect(await (await open('shell', ['cat'], { stdin: false })).ended).toBe(0);
    });

    it('tell output from errors, in order, and their exit code', async () => {
      const { read, ended } = reading(await open('shell', ['sh', '-c', 'echo a; nonsense; echo b; exit 3']));
      expect(await ended).toBe(3);
      await expect.poll(() => read.isOver).toBe(true);
      expect(read.frames).toEqual(['stdout: a\n', 'stderr: sh: 1: nonsense: not found\n', 'stdout: b\n']);
    });

    it('have a terminal of the size that was told last', async () => {
      const exec = await open('shell', ['/bin/sh'], { tty: true });
      const { read, ended } = reading(exec);
      await expect.poll(() => read.text).toMatch(/simulated.*\r\n\/ # $/);
      exec.resize({ width: 132, height: 40 });
      await exec.write(Buffer.from('stty size\r'));
      await expect.poll(() => read.text).toContain('stty size\r\n40 132\r\n/ # ');
      exec.resize({ width: 80, height: 25 });
      await exec.write(Buffer.from('stty size\rnonsense\r'));
      await expect.poll(() => read.text).toContain('25 80\r\n/ # ');
      await exec.write(Buffer.from('\x04'));
      expect(await ended).toBe(127);
    });

    it('are stopped by Ctrl-C', async () => {
      const exec = await open('shell', ['yes'], { tty: true });
      const { read, ended } = reading(exec);
      await expect.poll(() => read.text).toContain('y\r\ny\r\n');
      await exec.write(Buffer.from('\x03'));
      expect(await ended).toBe(130);
    });

    it('wait for a reader who does not read, and lose nothing', async () => {
      const { streams } = nodes();
      const total = 256 * mebibyte;
      const exec = await open('flood', ['flood', String(total)]);
      let written = 0;
      const isStalled = (): boolean => {
        const stalled = streams.writtenBytes > 0 && streams.writtenBytes === written;
        written = streams.writtenBytes;
        return stalled;
      };
      await expect.poll(isStalled, { ...patience, interval: 500 }).toBe(true);
      expect(written).toBeLessThan(64 * mebibyte);
      expect([await bytesOf(exec), await exec.ended]).toEqual([total, 0]);
    });

    it('may end before anybody has read', async () => {
      const { streams } = nodes();
      const before = streams.endedFloods;
      const exec = await open('flood', ['flood', String(mebibyte)]);
      await expect.poll(() => streams.endedFloods, patience).toBe(before + 1);
      expect([await bytesOf(exec), await exec.ended]).toEqual([mebibyte, 0]);
    });

    it('end when their reader closes the stream', async () => {
      const { streams } = nodes();
      const before = streams.endedFloods;
      const exec = await open('flood', ['flood']);
      await exec.output[Symbol.asyncIterator]().next();
      exec.close();
      await expect(exec.ended).rejects.toMatchObject({ code: 'unavailable' });
      await expect.poll(() => streams.endedFloods, patience).toBe(before + 1);
    });

    it('end when whoever waits for them gives up', async () => {
      const { streams } = nodes();
      const before = streams.endedFloods;
      const caller = new AbortController();
      const { read, ended } = reading(await open('flood', ['flood'], { signal: caller.signal }));
      await expect.poll(() => read.frames.length, patience).toBeGreaterThan(0);
      caller.abort(new Error('the tenant has left'));
      await expect(ended).rejects.toThrow('the tenant has left');
      await expect.poll(() => streams.endedFloods, patience).toBe(before + 1);
    });

    it('end with their pod', async () => {
      await run('brief');
      const { read, ended } = reading(await open('brief', ['sh'], { tty: true }));
      await expect.poll(() => read.text).toContain('/ # ');
      await nodes().client.delete(kinds.pods, { namespace, name: 'brief' }, { gracePeriodSeconds: 1 });
      expect(await ended).toBe(137);
      await expect.poll(() => read.isOver).toBe(true);
    });

    it.each([
      ['of a pod that does not exist', 'nothing', {}, 'not_found'],
      ['of a container that the pod does not have', 'shell', { container: 'other' }, 'invalid_argument'],
    ])('%s are refused', async (_, name, options, code) => {
      await expect(open(name, ['true'], options)).rejects.toMatchObject({ code });
    });
  });
}
