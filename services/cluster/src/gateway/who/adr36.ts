/** The text that wallets sign where they are asked to sign data that is no transaction: a document of the chain around it, as JSON with sorted keys. */
export function signedText(signer: string, data: string): string {
  const document = {
    account_number: '0',
    chain_id: '',
    fee: { amount: [], gas: '0' },
    memo: '',
    msgs: [{ type: 'sign/MsgSignData', value: { data: Buffer.from(data).toString('base64'), signer } }],
    sequence: '0',
  };
  return JSON.stringify(document).replaceAll(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}
