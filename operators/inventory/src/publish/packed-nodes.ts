import type { UnknownField } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import type { NodeInventory } from '../model/node-inventory.ts';

/**
 * Nodes in their encoded form, each encoded once however many readers and generations there are: of 5 000 nodes few change from one message to
 * the next. They travel as fields that the message does not know, which are written as they are; the reader sees no difference. Such a message
 * is for the wire only: in memory and in JSON it has no nodes.
 */
export class PackedNodes {
  readonly #encode: (node: NodeInventory) => Uint8Array;
  readonly #encoded = new WeakMap<NodeInventory, Uint8Array>(); // node -> length and message

  /** `encode` gives the length of a node's message, and then that. */
  constructor(encode: (node: NodeInventory) => Uint8Array) {
    this.#encode = encode;
  }

  /** For `$unknown` of a message whose repeated field `no` they are. */
  field(no: number, nodes: readonly NodeInventory[]): UnknownField[] {
    return nodes.map((node) => ({ no, wireType: WireType.LengthDelimited, data: this.#dataOf(node) }));
  }

  #dataOf(node: NodeInventory): Uint8Array {
    const known = this.#encoded.get(node);
    if (known !== undefined) return known;
    const data = this.#encode(node);
    this.#encoded.set(node, data);
    return data;
  }
}
