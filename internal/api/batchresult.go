package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/files/csvfile"
	"earshot/internal/job"
	"earshot/internal/store/history"
)

// batchResults writes the finished tasks of a batch in the order of the submission. Only
// one task at a time is in memory, however slowly the client reads.
func (s *Server) batchResults(c *call, q earshot.BatchResultQuery, _ none) error {
	results, err := s.Store.BatchResults(c.context(), c.organization(), c.subject())
	if err != nil {
		return err
	}
	contentType, begin, write := "application/x-ndjson", []byte(nil), lineOf
	if q.Format == earshot.BatchCSV {
		contentType, begin, write = "text/csv; charset=utf-8", []byte(csvHeader), rowOf
	}
	c.w.Header().Set("Content-Type", contentType)
	for result, err := range results {
		if err != nil && c.status != 0 && c.r.Context().Err() != nil {
			return nil // the client has disconnected
		}
		if err != nil {
			return err
		}
		line, err := write(s.Jobs, result)
		if err != nil {
			return fmt.Errorf("encode a result: %w", err)
		}
		if !c.part(begin, line) {
			return nil
		}
		begin = nil
	}
	c.part(begin)
	return nil
}

func lineOf(jobs *job.Runner, r history.BatchResult) ([]byte, error) {
	record := jobs.Record(r.Task)
	line, err := json.Marshal(earshot.BatchResult{
		Index: r.Position, Task: record.Task, Credits: record.Credits, Result: record.Result, Error: record.Error,
	})
	return append(line, '\n'), err
}

const csvHeader = "index,taskId,provider,status,question,country,creditsCharged,createdAt,finishedAt,latencyMs,attempts,errorCode,errorReason,errorMessage,text,result\r\n"

// rowOf returns a row of the CSV file. The column text is the text of the answer, if any.
func rowOf(jobs *job.Runner, r history.BatchResult) ([]byte, error) {
	record := jobs.Record(r.Task)
	var request struct{ Country, GL string }
	var answer struct{ Text string }
	var failure struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(r.Request, &request) // the cells of missing fields are empty
	_ = json.Unmarshal(r.Result, &answer)
	_ = json.Unmarshal(r.Error, &failure)
	cells := []string{
		strconv.Itoa(r.Position), r.ID, r.Provider, string(r.Status), textOf(r.Request), cmp.Or(request.Country, request.GL),
		cellOf(record.Credits.CreditsCharged), cellOf(record.Task.CreatedAt), cellOf(record.Task.FinishedAt), cellOf(record.Task.LatencyMs),
		strconv.Itoa(record.Task.Attempts), "", "", failure.Message, answer.Text, string(r.Result),
	}
	if r.Error != nil {
		cells[11], cells[12] = string(codeOf(r.Error)), string(reasonOf(r.Error))
	}
	return csvfile.Row(cells...), nil
}

// cellOf returns a value as JSON without quotes, or "" for null.
func cellOf(value any) string {
	text, _ := json.Marshal(value) // numbers and times
	return strings.TrimSuffix(strings.Trim(string(text), `"`), "null")
}
