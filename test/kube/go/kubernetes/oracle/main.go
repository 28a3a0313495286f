// Command oracle answers, for the tests, what Kubernetes itself makes of a quantity or of a pod's requests.
//
// It reads one JSON object per line on stdin and writes one per line on stdout, in the same order:
//
//	{"op":"quantity","text":"1.5Gi"}                 parse, canonical text, rounded amounts
//	{"op":"pair","left":"1","right":"500m","by":3}   sum, difference, comparison, left scaled, left negated
//	{"op":"pod","pod":{...}}                         what the scheduler counts on the pod's node
//
// An input that Kubernetes refuses gets {"error":"..."}. A line that is no such object ends the program with an error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const longestLine = 16 << 20

type question struct {
	Op    string          `json:"op"`
	Text  string          `json:"text"`
	Left  string          `json:"left"`
	Right string          `json:"right"`
	By    int64           `json:"by"`
	Pod   json.RawMessage `json:"pod"`
}

type failure struct {
	Error string `json:"error"`
}

func main() {
	if err := answerAll(); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func answerAll() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 64<<10), longestLine)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for number := 1; lines.Scan(); number++ {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		answer, err := answerTo(asked)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

func answerTo(asked question) (any, error) {
	switch asked.Op {
	case "quantity":
		return aboutQuantity(asked.Text), nil
	case "pair":
		return aboutPair(asked.Left, asked.Right, asked.By), nil
	case "pod":
		return aboutPod(asked.Pod), nil
	default:
		return nil, fmt.Errorf("op %q is none of quantity, pair, pod", asked.Op)
	}
}

type quantityAnswer struct {
	Canonical string `json:"canonical"`
	Format    string `json:"format"`
	// Exact decimal of the value and of the value rounded up to thousandths and to whole units: no overflow, unlike Value().
	Exact  string `json:"exact"`
	Millis string `json:"millis"`
	Whole  string `json:"whole"`
	// What callers of the Go type get; int64 as text, since JSON numbers lose digits.
	MilliValue string `json:"milliValue"`
	Value      string `json:"value"`
	// Whether parsing the canonical text gives the value back.
	RoundTrips bool `json:"roundTrips"`
}

func aboutQuantity(text string) any {
	parsed, err := resource.ParseQuantity(text)
	if err != nil {
		return failure{err.Error()}
	}
	return describe(parsed)
}

func describe(quantity resource.Quantity) quantityAnswer {
	millis, whole, exact := quantity.DeepCopy(), quantity.DeepCopy(), quantity.DeepCopy()
	millis.RoundUp(resource.Milli)
	whole.RoundUp(0)
	canonical := quantity.String()
	again, err := resource.ParseQuantity(canonical)
	return quantityAnswer{
		Canonical:  canonical,
		Format:     string(quantity.Format),
		Exact:      exact.AsDec().String(),
		Millis:     millis.AsDec().String(),
		Whole:      whole.AsDec().String(),
		MilliValue: fmt.Sprint(quantity.MilliValue()),
		Value:      fmt.Sprint(quantity.Value()),
		RoundTrips: err == nil && again.Cmp(quantity) == 0,
	}
}

type pairAnswer struct {
	Sum        quantityAnswer `json:"sum"`
	Difference quantityAnswer `json:"difference"`
	Scaled     quantityAnswer `json:"scaled"`
	Negated    quantityAnswer `json:"negated"`
	Compared   int            `json:"compared"`
}

func aboutPair(left, right string, by int64) any {
	a, err := resource.ParseQuantity(left)
	if err != nil {
		return failure{err.Error()}
	}
	b, err := resource.ParseQuantity(right)
	if err != nil {
		return failure{err.Error()}
	}
	sum, difference, scaled, negated := a.DeepCopy(), a.DeepCopy(), a.DeepCopy(), a.DeepCopy()
	sum.Add(b)
	difference.Sub(b)
	scaled.Mul(by)
	negated.Neg()
	return pairAnswer{
		Sum:        describe(sum),
		Difference: describe(difference),
		Scaled:     describe(scaled),
		Negated:    describe(negated),
		Compared:   a.Cmp(b),
	}
}

type podAnswer struct {
	CPUMillis             int64                     `json:"cpuMillis"`
	MemoryBytes           int64                     `json:"memoryBytes"`
	EphemeralStorageBytes int64                     `json:"ephemeralStorageBytes"`
	Extended              map[v1.ResourceName]int64 `json:"extended"`
}

// aboutPod asks the scheduler's own NodeInfo, under the feature gates' defaults, what one pod adds to a node.
func aboutPod(text json.RawMessage) any {
	pod, err := storedPod(text)
	if err != nil {
		return failure{err.Error()}
	}
	requested := framework.NewNodeInfo(pod).Requested
	answer := podAnswer{
		CPUMillis:             requested.MilliCPU,
		MemoryBytes:           requested.Memory,
		EphemeralStorageBytes: requested.EphemeralStorage,
		Extended:              requested.ScalarResources,
	}
	if answer.Extended == nil {
		answer.Extended = map[v1.ResourceName]int64{}
	}
	return answer
}

// storedPod decodes the pod twice, because the scheduler only ever sees pods whose quantities the API server made canonical.
func storedPod(text json.RawMessage) (*v1.Pod, error) {
	var written, stored v1.Pod
	if err := json.Unmarshal(text, &written); err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(&written)
	if err != nil {
		return nil, err
	}
	return &stored, json.Unmarshal(canonical, &stored)
}
