/** An order of the market, as messages or their JSON form have it. */
interface NamedOrder {
  readonly owner?: string | undefined;
  readonly dseq?: bigint | string | undefined;
  readonly gseq?: number | undefined;
  readonly oseq?: number | undefined;
}

/** `akash1…/1234/1/1`: owner, deployment, group and order, as commands take it. */
export const orderText = ({ owner = '', dseq = '0', gseq = 0, oseq = 0 }: NamedOrder): string => `${owner}/${dseq}/${gseq}/${oseq}`;
