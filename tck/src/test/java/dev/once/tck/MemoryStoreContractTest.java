package dev.once.tck;

class MemoryStoreContractTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    return new MemoryStoreFixture();
  }
}
