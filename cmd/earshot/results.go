package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"earshot"
)

// outcome is a line of the results.
type outcome struct {
	Line           int             `json:"line"`
	Row            map[string]any  `json:"row"`
	Provider       string          `json:"provider"`
	Country        string          `json:"country,omitempty"`
	Key            string          `json:"key"`
	TaskID         string          `json:"taskId"`
	Status         earshot.Status  `json:"status"`
	CreditsCharged *int64          `json:"creditsCharged"`
	Result         json.RawMessage `json:"result,omitempty"`
	Error          json.RawMessage `json:"error,omitempty"`
}

// results writes outcomes to a file or to standard output.
type results struct {
	previous map[string]earshot.Status // results of earlier runs in the file, by key
	out      io.Writer
	file     *os.File // nil for standard output
}

// openResults opens or creates a file of results to append to. Without a path, results are
// written to out.
func openResults(path string, out io.Writer) (_ *results, err error) {
	r := &results{previous: map[string]earshot.Status{}, out: out}
	if path == "" {
		return r, nil
	}
	if r.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("open the results: %w", err)
	}
	r.out = r.file
	if err := r.readBack(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), r.file.Close())
	}
	return r, nil
}

// readBack reads the existing results and truncates an incomplete last line. If the file
// contains anything else, it returns an error and does not change the file.
func (r *results) readBack() error {
	lines := bufio.NewReader(r.file)
	var end int64
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			break
		}
		var one struct {
			Key    string         `json:"key"`
			Status earshot.Status `json:"status"`
		}
		if json.Unmarshal(line, &one) != nil || one.Key == "" {
			return fmt.Errorf("line %d is not a result of 'earshot batch': choose another --out, or remove the file", number)
		}
		r.previous[one.Key] = one.Status
		end += int64(len(line))
	}
	if info, err := r.file.Stat(); err != nil || (end == 0 && info.Size() > 0) {
		return errors.Join(err, errors.New("it does not contain results of 'earshot batch': choose another --out, or remove the file"))
	}
	if err := r.file.Truncate(end); err != nil {
		return err
	}
	_, err := r.file.Seek(end, io.SeekStart)
	return err
}

func (r *results) write(line any) error {
	if err := json.NewEncoder(r.out).Encode(line); err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	return nil
}

func (r *results) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
