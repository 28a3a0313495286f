import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { onTestFinished } from 'vitest';
import { DiscoveryAgent, type HolderSource } from '../src/discovery/agent/discovery-agent.ts';
import { h200Virtual } from './machines/h200-virtual.ts';
import type { MemoryMachine } from './machines/memory-machine.ts';
import { MemoryHardwareStore } from './memory-hardware-store.ts';

export interface TestAgent {
  readonly agent: DiscoveryAgent;
  readonly clock: FakeClock;
  readonly server: MemoryHardwareStore;
  readonly machine: MemoryMachine;
  readonly stop: () => Promise<void>;
}

export interface TestAgentOptions {
  readonly machine?: MemoryMachine | undefined;
  readonly server?: MemoryHardwareStore | undefined;
  readonly holders?: HolderSource | undefined;
  readonly fingerprint?: (() => string) | undefined;
  readonly port?: (() => number) | undefined;
  readonly filesystemPaths?: readonly string[] | undefined;
  readonly nodeUid?: (() => Promise<string | undefined>) | undefined;
}

/** The agent of `node-a`, on a machine with one H200 unless another is given, until the test ends. */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const clock = new FakeClock();
  const machine = options.machine ?? h200Virtual();
  const server = options.server ?? new MemoryHardwareStore();
  const agent = new DiscoveryAgent({ ...options, reader: machine, node: 'node-a', client: server.store, clock, random: seededRandom(1) });
  const ending = new AbortController();
  const running = agent.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  onTestFinished(stop);
  await clock.advance(0);
  return { agent, clock, server, machine, stop };
}
