import type { RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hardware } from '../machine/hardware.ts';
import type { Machine } from '../machine/simulated-machine.ts';
import type { DeviceHolder } from '../node/node-devices.ts';

/** Answers HTTP, or takes each connection as it is and speaks what it likes on it. */
export type PortListener = RequestListener | { accept(connection: Duplex): void };

/** What a program that runs as a container gets of its node and pod. */
export interface ContainerContext {
  readonly node: { readonly name: string; readonly address: string; readonly hardware: Hardware };
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly ip: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly container: { readonly name: string; readonly image: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string>>;
  /** The node's, as it is whenever it is read. Tools see the GPUs that the container was given; all of them where it asked for none. */
  readonly machine: Machine;
  /** Who holds which device of the node, by its kubelet's account. */
  readonly devices: { list(): readonly DeviceHolder[] };
  /** Serves on a port of the pod until the container ends. */
  serve(port: number, listener: PortListener): void;
  /** Writes lines to the container's log. */
  log(text: string): void;
}

/** How a container has ended, where the exit code alone does not tell. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** `Completed` or `Error`, by the exit code, unless given. */
  readonly reason?: string | undefined;
}

/**
 * Runs as a container until it returns its exit code (nothing counts as 0). Must end soon after `signal` aborts: that is the
 * container's SIGTERM, and at the end of the grace period nobody waits any longer. What it throws is exit code 1, and is logged.
 */
export type ContainerProgram = (context: ContainerContext, signal: AbortSignal) => Promise<number | ContainerEnd | void>;

/** What a command that somebody executes in a container is connected to. */
export interface CommandIo {
  /** The next of the input; undefined at its end. A terminal gives it line by line, and after an end that was typed there may be more. */
  read(): Promise<Buffer | undefined>;
  /** Resolves when more is taken. Rejects when nobody listens any more. */
  write(output: string | Uint8Array, to?: 'stdout' | 'stderr'): Promise<void>;
  readonly terminal?: CommandTerminal | undefined;
}

export interface CommandTerminal {
  /** In characters, as it is whenever it is read. */
  readonly size: { readonly width: number; readonly height: number };
  /** What Ctrl-C does; it ends the command until that sets something else. */
  interrupt: () => void;
}

/** Returns the exit code, soon after `signal` aborts. */
export type ContainerCommand = (
  context: ContainerContext,
  command: readonly string[],
  io: CommandIo,
  signal: AbortSignal,
) => Promise<number>;

/** What an image does. */
export interface ImageRole {
  readonly run: ContainerProgram;
  /** What `exec` does in its containers; a few commands that read the node's filesystem unless given. */
  readonly exec?: ContainerCommand | undefined;
}

/** Which image and arguments mean which program. Images that are not registered only look as if they ran. */
export class ImageRegistry {
  readonly #roles = new Map<string, (args: readonly string[]) => ImageRole | undefined>(); // image -> role of its arguments

  /** `image` with or without a tag; without one it stands for every tag. `roleOf` gets the command and arguments of the container. */
  register(image: string, roleOf: (args: readonly string[]) => ImageRole | undefined): void {
    this.#roles.set(image, roleOf);
  }

  has(image: string): boolean {
    return this.#roles.has(image) || this.#roles.has(withoutTag(image));
  }

  roleOf(image: string, args: readonly string[]): ImageRole | undefined {
    return (this.#roles.get(image) ?? this.#roles.get(withoutTag(image)))?.(args);
  }
}

/** The colon of a registry's port is not a tag's. */
function withoutTag(image: string): string {
  const name = image.split('@')[0] ?? image;
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}
