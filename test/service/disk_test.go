package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/harness/tool"
	"earshot/test/load"
)

// TestAFullDisk fills the disk of each database: writes are refused while it is full, reads work, and
// no task that was accepted is lost. make soak runs it.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("EARSHOT_SOAK_DISK")
	if folder == "" {
		t.Skip("EARSHOT_SOAK_DISK does not name the folder of a small disk: see scripts/with-small-disk.sh")
	}
	var disk sync.Mutex
	storetest.OnEach(t, func(t *testing.T, address string) {
		disk.Lock()
		defer disk.Unlock()
		n := harness.StartOn(t, address)
		a := n.Organization(t, "many", 100_000)
		accepted := []string{n.Submit(t, a, harness.ChatTask("before")).ID}
		n.Wait(t, a, accepted[0])
		filler := fill(t, folder)
		refused := 0
		for range 2000 {
			r := n.Post(t, a, harness.TaskPath, harness.ChatTask(strings.Repeat("while it is full ", 200)))
			switch r.StatusCode {
			case http.StatusOK:
				var answer struct{ Task earshot.Task }
				r.Into(t, &answer)
				accepted = append(accepted, answer.Task.ID)
			case http.StatusServiceUnavailable, http.StatusInternalServerError:
				refused++
			case http.StatusTooManyRequests: // the queue is full
			default:
				t.Errorf("a task is answered with %d %s", r.StatusCode, r.Body)
			}
			n.Get(t, a, "/v1/credits").Has(t, "the credits on a full disk", http.StatusOK)
			n.Get(t, a, harness.TaskPath+"/"+accepted[0]).Has(t, "a task on a full disk", http.StatusOK)
			if refused == 20 {
				break
			}
		}
		if refused == 0 {
			t.Error("no task was refused")
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		freed := time.Now()
		harness.Eventually(t, "tasks are accepted again", func() bool {
			return n.Post(t, a, harness.TaskPath, harness.ChatTask("after")).StatusCode == http.StatusOK
		})
		t.Logf("%d tasks accepted and %d refused while the disk was full; normal %s after it was not", len(accepted)-1, refused, time.Since(freed))
		for _, id := range accepted {
			if task := n.Wait(t, a, id).Task; task.Status != earshot.StatusCompleted {
				t.Errorf("an accepted task ended as %+v", task)
			}
		}
		harness.Eventually(t, "nothing runs", func() bool { o := n.Reload(t, a); return o.Running+o.Queued == 0 })
		storetest.Audited(t, n.Store)
	})
}

// fill writes a file until the disk is full, and returns its path.
func fill(t *testing.T, folder string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	t.Cleanup(func() { _ = os.Remove(file.Name()) })
	for size := 1 << 20; size >= 1<<9; size /= 2 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	return file.Name()
}

// TestAFailedSync lets every fsync of SQLite fail, with strace: the process ends without accepting a
// task, and a new one has all that were accepted before. make soak runs it.
func TestAFailedSync(t *testing.T) {
	t.Parallel()
	if os.Getenv("EARSHOT_SOAK_CYCLES") == "" {
		t.Skip("EARSHOT_SOAK_CYCLES is not set")
	}
	strace, binary, address := tool.Find(t, "strace"), load.Build(t), filepath.Join(t.TempDir(), "earshot.db")
	node := load.Start(t, binary, address)
	key := node.Accounts(t, load.Unlimited, 1)[0]
	c := client.New(node.BaseURL, key, client.WithRetries(0))
	accepted := map[string]bool{}
	submit := func() error {
		record, err := c.Submit(t.Context(), earshot.TaskRequest{TaskType: "CHATASSISTANT", Payload: json.RawMessage(harness.GoodCall)})
		if err == nil {
			accepted[record.Task.ID] = true
		}
		return err
	}
	for range 10 {
		if err := submit(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	fault := exec.CommandContext(ctx, strace, "-f", "-o", os.DevNull, "-e", "inject=fsync,fdatasync:error=EIO", "-p", strconv.Itoa(node.PID))
	if err := fault.Start(); err != nil {
		t.Fatal(err)
	}
	var refused error
	for refused == nil { // until strace is attached
		refused = submit()
	}
	err := node.Stop()
	cancel()
	_ = fault.Wait()
	log, _ := os.ReadFile(node.Log)
	if err == nil || !strings.Contains(string(log), "failed to sync") {
		t.Errorf("the process ended with %v:\n%s", err, log)
	}
	c = client.New(load.Start(t, binary, address).BaseURL, key)
	kept := 0
	for record, err := range c.Tasks(t.Context(), earshot.TaskQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if accepted[record.Task.ID] {
			kept++
		}
	}
	if kept != len(accepted) {
		t.Errorf("%d of %d accepted tasks are left", kept, len(accepted))
	}
	t.Logf("%d of %d accepted tasks are left; the next was refused: %v; the process ended: %v", kept, len(accepted), refused, err)
}
