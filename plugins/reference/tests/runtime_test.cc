// Events, queues, layouts, buffers and transfers, below the C API.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/event.h"
#include "runtime/layout.h"
#include "runtime/transfer_manager.h"
#include "runtime/transfers.h"
#include "tests/check.h"

namespace reference {
namespace {

std::shared_ptr<Client> MakeClient(int num_devices, int64_t delay_us = 0, int64_t limit = 0) {
  ClientOptions options;
  options.num_devices = num_devices;
  options.delay_us = delay_us;
  options.memory_limit_bytes = limit;
  return std::make_shared<Client>(options);
}

std::vector<float> Iota(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.f);
  return values;
}

std::vector<float> Read(const Buffer& buffer) {
  std::vector<float> values(static_cast<size_t>(buffer.type().size()), -1);
  CopyToHost(buffer, Layout::RowMajor(buffer.type().dims.size()), values.data(), values.size() * sizeof(float))->Await();
  return values;
}

std::unique_ptr<Buffer> Send(const std::vector<float>& values, Dims dims, MemorySpace* memory,
                             HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall) {
  const Layout layout = Layout::RowMajor(dims.size());
  return BufferFromHost({values.data(), {ElementType::kF32, std::move(dims)}, {}}, semantics, memory, layout).first;
}

void TestEvents() {
  const EventPtr event = Event::Pending();
  int calls = 0;
  event->OnReady([&](const Error* error) { calls += error == nullptr ? 1 : 100; });
  CHECK(calls == 0);
  CHECK(event->SetDone());
  CHECK(!event->SetError(Internal("too late")));
  CHECK(calls == 1 && event->IsReady() && event->error() == nullptr);
  event->OnReady([&](const Error* error) { calls += error == nullptr ? 1 : 100; });
  CHECK(calls == 2);

  const EventPtr a = Event::Pending(), b = Event::Pending();
  std::string seen;
  WhenAll({nullptr, a, Event::Ready(), b, Event::Failed(Internal("c"))},
          [&](const Error* error) { seen += error == nullptr ? "-" : error->message; });
  b->SetError(Internal("b"));
  CHECK(seen.empty());
  a->SetDone();
  CHECK(seen == "b");  // the first in list order
  CHECK_THROWS(Code::kInternal, b->Await());
}

// Deterministic round trips through layouts.
void TestLayouts() {
  const ArrayType type{ElementType::kF32, {3, 1, 5, 4}};
  const std::vector<float> values = Iota(60);
  const auto* from = reinterpret_cast<const std::byte*>(values.data());
  const std::vector<Layout> layouts = {
      Layout::RowMajor(4),
      {{0, 1, 2, 3}, {}, false, {}},
      {{2, 3, 0, 1}, {{2, 3}}, false, {}},
      {{3, 2, 1, 0}, {{8, 128}, {2, 1}}, false, {}},
      {{1, 0, 3, 2}, {{2, 2, 2, 2}, {3}}, false, {}},
      Layout::Strides({4, 1000, 64, 16}),
  };
  for (const Layout& layout : layouts) {
    std::vector<std::byte> bytes(BytesInLayout(type, layout), std::byte{0x5a});
    CopyBetweenLayouts(type, from, Layout::RowMajor(4), bytes.data(), layout);
    for (const Layout& other : layouts) {
      std::vector<std::byte> more(BytesInLayout(type, other));
      CopyBetweenLayouts(type, bytes.data(), layout, more.data(), other);
      std::vector<float> back(60, -1);
      CopyBetweenLayouts(type, more.data(), other, reinterpret_cast<std::byte*>(back.data()), Layout::RowMajor(4));
      CHECK(back == values);
    }
  }
  CHECK(BytesInLayout({ElementType::kF32, {3, 5}}, {{1, 0}, {{8, 128}}, false, {}}) == 4 * 8 * 128);
  CHECK((Layout{{1, 0}, {{8, 128}, {2, 1}}, false, {}}.ToString()) == "{1,0:T(8,128)(2,1)}");
  // Element [9, 1] of f32[10, 130] in tiles of 8 x 128: the third tile, second row, second column.
  const ArrayType tiled{ElementType::kF32, {10, 130}};
  std::vector<float> table = Iota(1300), tiles(4096);
  CopyBetweenLayouts(tiled, reinterpret_cast<const std::byte*>(table.data()), Layout::RowMajor(2),
                     reinterpret_cast<std::byte*>(tiles.data()), {{1, 0}, {{8, 128}}, false, {}});
  CHECK(tiles[2 * 1024 + 128 + 1] == table[9 * 130 + 1]);

  CHECK(Normalized(Layout::Strides({12, 4}), {ElementType::kF32, {2, 3}}).IsRowMajor());
  CHECK((Normalized(Layout::Strides({4, 8}), {ElementType::kF32, {2, 3}}).minor_to_major == std::vector<int64_t>{0, 1}));
  CHECK(Normalized(Layout::Strides({16, 4}), {ElementType::kF32, {2, 3}}).strided);
  CHECK_THROWS(Code::kInvalidArgument, CheckLayout({{0, 0}, {}, false, {}}, {ElementType::kF32, {2, 3}}));
  CHECK_THROWS(Code::kInvalidArgument, CheckLayout(Layout::Strides({4, 4}), {ElementType::kF32, {2, 3}}));
  CHECK_THROWS(Code::kInvalidArgument, CheckLayout(Layout::Strides({-12, 4}), {ElementType::kF32, {2, 3}}));
  CHECK_THROWS(Code::kResourceExhausted,
               BytesInLayout({ElementType::kF32, {int64_t{1} << 57, 2}}, {{1, 0}, {{8, 128}}, false, {}}));
}

// Storing what is in the buffer's own memory, as for a donated argument that is a result.
void TestStoreInPlace() {
  const auto client = MakeClient(1);
  const ArrayType type{ElementType::kF32, {2, 3}};
  const auto store = [&](Layout layout) {
    const auto contents = Contents::Allocate(client->devices()[0]->default_memory(), 24);
    const Array array(type, contents->storage);
    for (int i = 0; i < 6; i++) reinterpret_cast<float*>(contents->storage.get())[i] = static_cast<float>(i);
    BufferValue{type, std::move(layout), contents}.Store(array);
    const auto* stored = reinterpret_cast<const float*>(contents->storage.get());
    return std::vector<float>(stored, stored + 6);
  };
  CHECK((store(Layout::RowMajor(2)) == std::vector<float>{0, 1, 2, 3, 4, 5}));
  CHECK((store({{0, 1}, {}, false, {}}) == std::vector<float>{0, 3, 1, 4, 2, 5}));
  client->Shutdown();
}

void TestBuffers(int64_t delay_us) {
  const auto client = MakeClient(2, delay_us, 1 << 20);
  MemorySpace* const memory = client->devices()[0]->default_memory();
  const std::vector<float> values = Iota(24);
  {
    auto buffer = Send(values, {4, 6}, memory);
    CHECK(Read(*buffer) == values);
    auto copy = CopyToMemory(*buffer, client->devices()[1]->default_memory());
    const EventPtr ready = buffer->ready();
    buffer->AddExternalReference();
    CHECK_THROWS(Code::kInvalidArgument, buffer->Donate());
    const auto* pinned = reinterpret_cast<const float*>(buffer->pointer());
    buffer->Delete();
    buffer->Delete();
    CHECK(buffer->deleted() && pinned[23] == 23.f);
    buffer->DropExternalReference();
    CHECK_THROWS(Code::kInvalidArgument, buffer->DropExternalReference());
    CHECK_THROWS(Code::kInvalidArgument, buffer->Use());
    CHECK_THROWS(Code::kInvalidArgument, buffer->ready()->Await());
    ready->Await();
    CHECK(Read(*copy) == values);
    CHECK_THROWS(Code::kInvalidArgument, CopyToMemory(*copy, copy->memory()));

    auto bits = Buffer::Bitcast(*copy, {ElementType::kU8, {96}}, Layout::RowMajor(1));
    CHECK(copy->deleted());
    auto back = Buffer::Bitcast(*bits, {ElementType::kF32, {24}}, Layout::RowMajor(1));
    CHECK(Read(*back) == values);
    CHECK_THROWS(Code::kInvalidArgument, Buffer::Bitcast(*back, {ElementType::kF32, {25}}, Layout::RowMajor(1)));
    CHECK(Read(*back) == values);

    auto [donated, dependency] = DonateWithDependency(*back);
    CHECK(back->deleted() && !donated->ready()->IsReady());
    std::byte* pointer = nullptr;
    std::thread asking([&, &donated = donated] { pointer = donated->pointer(); });  // waits for the memory
    dependency->SetDone();
    asking.join();
    CHECK(pointer != nullptr && pointer == donated->pointer());
    CHECK(Read(*donated) == values);
  }
  CHECK(memory->stats().bytes_in_use == 0);
  CHECK(memory->stats().peak_bytes_in_use == 96);
  CHECK_THROWS(Code::kResourceExhausted, memory->Allocate((1 << 20) + 1));

  // Zero copies keep the host's memory until the last user is gone.
  auto [zero, done] = BufferFromHost({values.data(), {ElementType::kF32, {24}}, {}},
                                     HostBufferSemantics::kImmutableZeroCopy, memory, Layout::RowMajor(1));
  CHECK(reinterpret_cast<const float*>(zero->pointer()) == values.data());
  const BufferValue use = zero->Use();
  CHECK(!use.contents->writable);
  zero.reset();
  CHECK(!done->IsReady());
  use.contents->ready->Await();
  const_cast<BufferValue&>(use).contents.reset();
  done->Await();

  auto alias = CreateAlias(memory, {ElementType::kF32, {24}}, Layout::RowMajor(1));
  std::vector<float> read(24);
  const EventPtr copied = CopyToHost(*alias.first, Layout::RowMajor(1), read.data(), 96);
  const auto source = Send(values, {24}, memory);
  CHECK_THROWS(Code::kInvalidArgument, CopyToHost(*source, Layout::RowMajor(1), read.data(), 95));
  FulfillAlias(*alias.second, *source);
  copied->Await();
  CHECK(read == values);

  // Nothing is left waiting when the client is destroyed, and nothing runs afterwards.
  auto pending = Send(values, {24}, memory, HostBufferSemantics::kImmutableUntilTransferCompletes);
  const EventPtr read_event = CopyToHost(*pending, Layout::RowMajor(1), read.data(), 96);
  client->Shutdown();
  CHECK(read_event->IsReady() && read_event->error() == nullptr);
  CHECK_THROWS(Code::kCancelled, CopyToHost(*pending, Layout::RowMajor(1), read.data(), 96)->Await());
}

void TestManager() {
  const auto client = MakeClient(1);
  MemorySpace* const memory = client->devices()[0]->default_memory();
  const ArrayType type{ElementType::kF32, {4}};
  const std::vector<float> values = Iota(4);
  std::unique_ptr<Buffer> first, second, third;
  {
    TransferManager manager(memory, {{type, Layout::RowMajor(1)}, {type, Layout::RowMajor(1)}, {type, Layout::RowMajor(1)}});
    first = manager.RetrieveBuffer(0);
    second = manager.RetrieveBuffer(1);
    third = manager.RetrieveBuffer(2);
    CHECK_THROWS(Code::kFailedPrecondition, manager.RetrieveBuffer(0));
    CHECK_THROWS(Code::kInvalidArgument, manager.RetrieveBuffer(3));
    CHECK_THROWS(Code::kInvalidArgument, manager.TransferData(0, values.data(), 12, 8, false));
    manager.TransferData(0, values.data() + 2, 8, 8, false)->Await();
    CHECK(!first->ready()->IsReady());
    manager.TransferData(0, values.data(), 0, 8, true);
    CHECK_THROWS(Code::kInvalidArgument, manager.TransferData(0, values.data(), 0, 8, true));
    manager.SetError(1, Error(Code::kDataLoss, "lost"));
  }
  CHECK(Read(*first) == values);
  CHECK_THROWS(Code::kDataLoss, Read(*second));
  CHECK_THROWS(Code::kInternal, Read(*third));
}

// Concurrent launches on several devices that wait for each other do not block one another.
void TestTogether() {
  const auto client = MakeClient(3);
  std::vector<WorkQueue*> queues;
  for (const auto& device : client->devices()) queues.push_back(&device->queue(Work::kCompute));
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; i++) {
        const auto arrived = std::make_shared<std::atomic<int>>(0);
        const EventPtr all = Event::Pending();
        const WorkQueue::Task task = [arrived, all, &done](const Error* failed) {
          if (failed == nullptr && ++*arrived == 3) all->SetDone();
          if (failed == nullptr) all->Await();
          done++;
        };
        WorkQueue::ScheduleTogether(queues, {}, {task, task, task});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  client->Shutdown();
  CHECK(done == 600);
}

void TestThreads() {
  const auto client = MakeClient(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&, t] {
      MemorySpace* const memory = client->devices()[static_cast<size_t>(t % 2)]->default_memory();
      MemorySpace* const other = client->devices()[static_cast<size_t>((t + 1) % 2)]->memory("pinned_host");
      for (int i = 0; i < 40; i++) {
        const std::vector<float> values = Iota(static_cast<size_t>(100 + 7 * t + i));
        auto buffer = Send(values, {static_cast<int64_t>(values.size())}, memory,
                           static_cast<HostBufferSemantics>(i % 4));
        auto copy = CopyToMemory(*buffer, other);
        CHECK(Read(*copy) == values);
        CHECK(Read(*buffer) == values);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void TestPoison() {
  const auto client = MakeClient(1);
  Device& device = *client->devices()[0];
  const EventPtr waiting = device.BeginLaunch(7), started = device.BeginLaunch(8);
  started->SetDone();
  CHECK(!device.PoisonLaunch(8, Internal("no")));
  CHECK(!device.PoisonLaunch(9, Internal("no")));
  CHECK(device.PoisonLaunch(7, Error(Code::kAborted, "yes")));
  CHECK(!device.PoisonLaunch(7, Internal("no")));
  CHECK_THROWS(Code::kAborted, waiting->Await());
}

}  // namespace
}  // namespace reference

int main() {
  reference::TestEvents();
  reference::TestLayouts();
  reference::TestStoreInPlace();
  reference::TestBuffers(0);
  reference::TestBuffers(2000);
  reference::TestManager();
  reference::TestTogether();
  reference::TestThreads();
  reference::TestPoison();
  return ReportChecks();
}
