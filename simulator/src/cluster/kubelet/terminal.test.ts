import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { SimulatedMachine } from '../machine/simulated-machine.ts';
import { defaultCommands } from './default-commands.ts';
import type { ContainerContext } from './image-registry.ts';
import { Terminal } from './terminal.ts';

/** A person whose keys are pressed by the test, and a screen. */
class Person {
  readonly size = { width: 132, height: 40 };
  screen = '';
  readonly #keys: (Buffer | undefined)[] = [];
  #wake = (): void => {};

  /** Nothing hangs up. */
  press(keys?: string | Buffer): void {
    this.#keys.push(keys === undefined ? undefined : Buffer.from(keys));
    this.#wake();
  }

  async read(): Promise<Buffer | undefined> {
    while (this.#keys.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#keys.shift();
  }

  async write(output: string): Promise<void> {
    this.screen += output;
  }
}

function terminalOf(): { readonly person: Person; readonly terminal: Terminal; readonly interrupts: () => number } {
  const person = new Person();
  let count = 0;
  const terminal = new Terminal(person, () => {
    count += 1;
  });
  void terminal.follow();
  return { person, terminal, interrupts: () => count };
}

describe('Terminal', () => {
  it('shows what is typed and gives whole lines', async () => {
    const { person, terminal } = terminalOf();
    person.press('ls -x');
    person.press('\x7fl\rpwd\n');
    expect(String(await terminal.read())).toBe('ls -l\n');
    expect(String(await terminal.read())).toBe('pwd\n');
    expect(person.screen).toBe('ls -x\b \bl\r\npwd\r\n');
  });

  it('takes back whole characters, and none where there is none', async () => {
    const { person, terminal } = terminalOf();
    person.press('\bü🐢\b\b\bok\r');
    expect(String(await terminal.read())).toBe('ok\n');
  });

  it('puts characters together whose bytes come one by one', async () => {
    const { person, terminal } = terminalOf();
    const bytes = Buffer.from('亀\r');
    for (const byte of bytes) person.press(Buffer.of(byte));
    expect(String(await terminal.read())).toBe('亀\n');
  });

  it('ends the input at Ctrl-D on an empty line only, and goes on after it', async () => {
    const { person, terminal } = terminalOf();
    person.press('a\x04b\r\x04c\r');
    expect(String(await terminal.read())).toBe('ab\n');
    expect(await terminal.read()).toBeUndefined();
    expect(String(await terminal.read())).toBe('c\n');
    person.press();
    expect(await terminal.read()).toBeUndefined();
    expect(await terminal.read()).toBeUndefined();
  });

  it('drops what was typed at Ctrl-C, and tells who runs', async () => {
    const { person, terminal, interrupts } = terminalOf();
    person.press('waiting\rha');
    person.press('lf\x03');
    await expect.poll(interrupts).toBe(1);
    const line = terminal.read();
    person.press('x\r');
    expect(String(await line)).toBe('x\n');
    expect(person.screen).toBe('waiting\r\nhalf^C\r\nx\r\n');
  });

  it('ends lines as screens want it', async () => {
    const { person, terminal } = terminalOf();
    await terminal.write(Buffer.from('a\nb\n'));
    expect(person.screen).toBe('a\r\nb\r\n');
  });

  it('loses what nobody reads, beyond a thousand lines', async () => {
    const { person, terminal } = terminalOf();
    person.press('x\r'.repeat(5_000));
    person.press();
    let lines = 0;
    await expect.poll(() => person.screen.length).toBe(15_000);
    while ((await terminal.read()) !== undefined) lines += 1;
    expect(lines).toBe(1_000);
  });
});

const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 }, 'node', 1);
const context: ContainerContext = {
  node: { name: 'node', address: '10.240.0.1', hardware },
  pod: { namespace: 'default', name: 'web-0', uid: 'uid', ip: '10.64.1.2', labels: {}, annotations: {} },
  container: { name: 'main', image: 'plain', args: [] },
  env: {},
  machine: new SimulatedMachine({ hostname: 'node', hardware }),
  devices: { list: () => [] },
  serve: () => {},
  log: () => {},
};

describe('a shell at a terminal', () => {
  const start = () => {
    const { person, terminal } = terminalOf();
    const ended = defaultCommands(context, ['sh'], terminal, new AbortController().signal);
    const shows = async (text: string): Promise<void> => {
      await expect.poll(() => person.screen).toContain(text);
    };
    return { person, ended, shows };
  };

  it('says that it is simulated, prompts, and knows how large the terminal is', async () => {
    const { person, ended, shows } = start();
    await shows('simulated');
    await shows('\r\n/ # ');
    person.press('stty size; hostname\r');
    await shows('/ # stty size; hostname\r\n40 132\r\nweb-0\r\n/ # ');
    person.press('exit 3\r');
    expect(await ended).toBe(3);
  });

  it('ends at Ctrl-D with the code of the last command', async () => {
    const { person, ended } = start();
    person.press('false\r\x04');
    expect(await ended).toBe(1);
  });

  it('ends when the person hangs up', async () => {
    const { person, ended } = start();
    person.press('true\r');
    person.press();
    expect(await ended).toBe(0);
  });

  it('stops a command at Ctrl-C and goes on, and prompts anew for a line that is given up', async () => {
    const { person, ended, shows } = start();
    person.press('cat; echo not this\r');
    person.press('copied\r');
    await shows('copied\r\ncopied\r\n');
    person.press('\x03');
    await shows('^C\r\n/ # ');
    person.press('fal\x03');
    await shows('fal^C\r\n/ # ');
    person.press('echo still here\r\x04');
    expect(await ended).toBe(0);
    expect(person.screen).toContain('\r\nstill here\r\n');
    expect(person.screen).not.toContain('\r\nnot this');
  });

  it('goes on after a command has read to the end of the input', async () => {
    const { person, ended, shows } = start();
    person.press('cat\r');
    person.press('one\r\x04');
    await shows('one\r\none\r\n/ # ');
    person.press('exit\r');
    expect(await ended).toBe(0);
  });
});
