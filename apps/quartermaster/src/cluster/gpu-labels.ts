import type { NodeSpec } from '@quartermaster/simulator';

/** The labels that the GPU vendors' own discovery puts on a node: which product its GPUs are. */
export function withGpuLabels(node: NodeSpec): NodeSpec {
  const labels: Record<string, string> = {};
  for (const { vendor, productName } of node.hardware.gpus) {
    // A label's value has no spaces; the vendors' tools write dashes.
    labels[`${vendor}.com/gpu.product`] = productName.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 63);
  }
  return { ...node, labels: { ...labels, ...node.labels } };
}
