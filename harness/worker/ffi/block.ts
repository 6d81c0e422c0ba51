/** Native memory of the harness, as an address and as a view. */
export interface Block {
  address: bigint;
  bytes: Uint8Array;
  view: DataView;
}
